import type { RecordedProgram } from '../program.ts'
import { programFile } from '../program-file.ts'
import { stoppedAgents } from '../script.ts'
import { toolCalls, UNKNOWN_TOOL } from '../tools.ts'

/** Returns the script of Gemini CLI. */
export function geminiFile(installed: string): string {
  return programFile(installed, '@google/gemini-cli/bundle/gemini.js', '@google/gemini-cli/dist/index.js')
}

/** Gemini CLI: `gemini -p -o stream-json`. */
export const gemini: RecordedProgram = {
  name: 'gemini',
  factName: 'Gemini CLI',
  packages: ['@google/gemini-cli'],
  agentType: 'generalist',
  compactsBy: 'command',
  tools: {
    call: toolCalls({
      command: (command) => ({ name: 'run_shell_command', input: { command, description: 'Run it' } }),
      read: (path) => ({ name: 'read_file', input: { file_path: path } }),
      write: (path, content) => ({ name: 'write_file', input: { file_path: path, content } }),
      edit: (path, from, to) => ({
        name: 'replace',
        input: { file_path: path, instruction: 'Change it', old_string: from, new_string: to },
      }),
      agent: ({ prompt }, offered) =>
        offered.includes('generalist')
          ? { name: 'generalist', input: { request: prompt } }
          : { name: 'invoke_agent', input: { agent_name: 'generalist', prompt } },
    }),
    report: (response) => ({ name: 'complete_task', input: { result: { response } } }),
  },
  command: ({ installed, node, run, resumes }) => [
    node,
    geminiFile(installed),
    ...['-p', run.prompt, '-o', 'stream-json', '--yolo', '--skip-trust'],
    ...['-m', run.isOtherModel ? 'gemini-2.5-flash' : 'gemini-2.5-pro'],
    ...(resumes ? ['--resume', 'latest'] : []),
  ],
  environment: ({ url }) => ({
    GEMINI_API_KEY: 'none-at-all',
    GOOGLE_GEMINI_BASE_URL: url,
    GEMINI_CLI_NO_RELAUNCH: 'true',
    NO_BROWSER: 'true',
  }),
  homeFiles: ({ url, scenario }) => ({
    '.gemini/settings.json': JSON.stringify({
      security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
      experimental: { enableAgents: true },
      ...(scenario.hasTools && { mcpServers: { demo: { httpUrl: `${url}/mcp`, trust: true } } }),
      privacy: { usageStatisticsEnabled: false },
      general: { disableAutoUpdate: true, enableAutoUpdate: false },
    }),
  }),
  stores: [['.gemini/tmp', 'store']],
  forms: (scenario) => ({
    // A call is written when it has ended.
    store: {
      lacks: ['cuts', ...(stoppedAgents(scenario).length > 0 ? ['names'] : [])],
      lacksCalls: [UNKNOWN_TOOL],
    },
    stream: { lacks: ['children', 'tokens', 'thinking', 'result-texts'], lacksCalls: [UNKNOWN_TOOL] },
  }),
  // The API counts cached tokens in the input, and those of thoughts beside the output.
  tokens: (tokens) => ({
    ...tokens,
    input: tokens.input + tokens.cacheRead,
    output: tokens.output - tokens.reasoning,
  }),
  exitsAreResults: true,
  failedAgentsAreResults: true,
  cannot: {
    picture: 'its command line has only the name of a file',
    'odd-characters': 'its stream and its files leave them out',
    thought: 'it asks again until the model has an answer',
    nested: 'its agents start no agents',
    background: 'its agents do not work in the background',
    refusal: 'without a terminal, tools that ask are not offered',
    compaction: 'its command line has no command for it',
  },
}
