import type { RecordedProgram } from '../program.ts'
import { stopOf, stoppedAgents } from '../script.ts'
import { toolCalls } from '../tools.ts'

/** Kimi Code: `kimi -p --output-format stream-json`. */
export const kimi: RecordedProgram = {
  name: 'kimi',
  factName: 'kimi',
  packages: ['@moonshot-ai/kimi-code'],
  needsNode22: true,
  agentType: 'coder',
  compactsBy: 'command',
  tools: {
    call: toolCalls({
      command: (command) => ({ name: 'Bash', input: { command } }),
      read: (path) => ({ name: 'Read', input: { path } }),
      look: (path) => ({ name: 'ReadMediaFile', input: { path } }),
      write: (path, content) => ({ name: 'Write', input: { path, content } }),
      edit: (path, from, to) => ({ name: 'Edit', input: { path, old_string: from, new_string: to } }),
      agent: ({ description, prompt, background }) => ({
        name: 'Agent',
        input: {
          prompt,
          description,
          subagent_type: 'coder',
          ...(background && { run_in_background: true }),
        },
      }),
    }),
  },
  command: ({ installed, node, run, resumes }) => [
    node,
    `${installed}/node_modules/@moonshot-ai/kimi-code/dist/main.mjs`,
    ...['-p', run.prompt, '--output-format', 'stream-json'],
    ...(resumes ? ['--continue'] : []),
    ...(run.isOtherModel ? ['-m', 'script/other'] : []),
  ],
  environment: () => ({ KIMI_CODE_NO_AUTO_UPDATE: '1', USER: 'demo' }),
  homeFiles: ({ url, scenario }) => ({
    '.kimi-code/config.toml': configuration(url),
    ...(scenario.hasTools && {
      '.kimi-code/mcp.json': JSON.stringify({ mcpServers: { demo: { url: `${url}/mcp` } } }),
    }),
  }),
  stores: [
    ['.kimi-code/sessions', 'store/.kimi-code/sessions'],
    ['.kimi-code/session_index.jsonl', 'store/.kimi-code/session_index.jsonl'],
  ],
  forms: (scenario) => ({
    // A call of an unknown tool comes before the others of its reply.
    store: { lacks: ['reasoning', 'call-order', ...(stopOf(scenario) === 'kill' ? ['cuts'] : [])] },
    // The lines are whole messages of main. An interruption writes the text so far, and no line about itself.
    stream: {
      lacks: [
        'thinking',
        'prompts',
        'children',
        'tokens',
        'result-errors',
        stopOf(scenario) === 'interrupt' ? 'ending' : 'cuts',
      ],
      lacksAgents: stoppedAgents(scenario),
    },
  }),
  keepsCutTexts: true,
  cannot: {
    picture: 'its command line has only the name of a file',
    nested: 'its own types of agents start no agents',
    refusal: '`kimi -p` asks nobody',
    compaction: 'its command line has no command for it',
  },
}

function configuration(url: string): string {
  return `default_model = "script/m"
telemetry = false

[providers.script]
type = "kimi"
base_url = "${url}/v1"
api_key = "none"

[models."script/m"]
provider = "script"
model = "script"
max_context_size = 128000
capabilities = ["tool_use", "thinking", "image_in"]

[models."script/other"]
provider = "script"
model = "other"
max_context_size = 128000
capabilities = ["tool_use", "thinking", "image_in"]
`
}
