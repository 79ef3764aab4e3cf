import type { RecordedProgram } from '../program.ts'
import { programFile } from '../program-file.ts'
import { hasBackground, innerAgents, stopOf, stoppedAgents } from '../script.ts'
import { toolCalls } from '../tools.ts'

/** Returns the script of Qwen Code. */
export function qwenFile(installed: string): string {
  return programFile(installed, '@qwen-code/qwen-code/cli-entry.js', '@qwen-code/qwen-code/cli.js')
}

/** Qwen Code: `qwen -p -o stream-json`. */
export const qwen: RecordedProgram = {
  name: 'qwen',
  factName: 'qwen',
  packages: ['@qwen-code/qwen-code'],
  needsNode22: true,
  agentType: 'general-purpose',
  compactsBy: 'command',
  tools: {
    call: toolCalls({
      command: (command) => ({
        name: 'run_shell_command',
        input: { command, description: 'Run it', is_background: false },
      }),
      read: (path) => ({ name: 'read_file', input: { file_path: path } }),
      write: (path, content) => ({ name: 'write_file', input: { file_path: path, content } }),
      edit: (path, from, to) => ({
        name: 'edit',
        input: { file_path: path, old_string: from, new_string: to },
      }),
      hidden: (tool, input) => ({
        name: 'tool_call',
        input: { name: `mcp__demo__${tool}`, arguments: input },
      }),
      agent: ({ description, prompt, background = false }, offered) => ({
        name: offered.includes('task') ? 'task' : 'agent',
        input: { description, prompt, subagent_type: 'general-purpose', run_in_background: background },
      }),
    }),
  },
  command: ({ installed, node, run, resumes }) => [
    node,
    qwenFile(installed),
    ...['--approval-mode', run.refuses ? 'default' : 'yolo'],
    ...(resumes ? ['--continue'] : []),
    ...(run.isOtherModel ? ['-m', 'other'] : []),
    ...['-o', 'stream-json', '--include-partial-messages', '-p', run.prompt],
  ],
  environment: ({ url }) => ({
    OPENAI_API_KEY: 'none',
    OPENAI_BASE_URL: `${url}/v1`,
    OPENAI_MODEL: 'script',
    QWEN_CODE_EMIT_TOOL_USE_SUMMARIES: '0',
  }),
  homeFiles: ({ url, scenario }) => ({
    '.qwen/settings.json': JSON.stringify({
      security: { auth: { selectedType: 'openai' } },
      model: { name: 'script', generationConfig: { maxRetries: 2, modalities: { image: true } } },
      general: { enableAutoUpdate: false, disableAutoUpdate: true },
      privacy: { usageStatisticsEnabled: false },
      ui: { enableFollowupSuggestions: false },
      memory: { enableManagedAutoMemory: false, enableManagedAutoDream: false, enableAutoSkill: false },
      ...(scenario.hasTools && { mcpServers: { demo: { httpUrl: `${url}/mcp`, trust: true } } }),
      tools: { shell: { enableInteractiveShell: false } },
    }),
  }),
  stores: [['.qwen/projects', 'store/.qwen/projects']],
  forms: (scenario) => ({
    // The files of agents have a text that a kill has cut.
    store: {
      lacks: [
        'child-call-order',
        ...(stopOf(scenario) === 'kill' && stoppedAgents(scenario).length === 0 ? ['cuts'] : []),
      ],
    },
    // Calls and results of an agent are on the stream, and nothing of its own agents or of its work in the background.
    stream: {
      lacks: [
        'prompts',
        'pictures',
        'child-texts',
        'child-call-order',
        'child-thinking',
        'child-tokens',
        ...(hasBackground(scenario) ? ['child-calls', 'child-results'] : []),
      ],
      lacksAgents: innerAgents(scenario),
    },
  }),
  keepsCutTexts: true,
  cannot: {
    picture: 'its command line has only the name of a file',
    compaction: 'its command line has no command for it',
  },
}
