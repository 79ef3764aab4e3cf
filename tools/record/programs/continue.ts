import type { RecordedProgram } from '../program.ts'
import { isRefused } from '../script.ts'
import { toolCalls } from '../tools.ts'

/** Continue CLI: `cn -p --format json`. Its output is the last answer alone. */
export const continueCli: RecordedProgram = {
  name: 'continue',
  factName: 'continue',
  packages: ['@continuedev/cli'],
  agentType: 'helper',
  compactsBy: 'command',
  tools: {
    call: toolCalls({
      command: (command) => ({ name: 'Bash', input: { command } }),
      read: (path) => ({ name: 'Read', input: { filepath: path } }),
      write: (path, content) => ({ name: 'Write', input: { filepath: path, content } }),
      edit: (path, from, to) => ({
        name: 'Edit',
        input: { file_path: path, old_string: from, new_string: to },
      }),
      agent: ({ description, prompt }) => ({
        name: 'Subagent',
        input: { description, prompt, subagent_name: 'helper' },
      }),
    }),
  },
  command: ({ installed, node, run, resumes, home }) => [
    node,
    `${installed}/node_modules/@continuedev/cli/dist/cn.js`,
    ...['-p', '--format', 'json', '--config', `${home}/.continue/config.yaml`],
    ...(run.refuses ? ['--exclude', 'Bash'] : ['--auto']),
    ...(resumes ? ['--resume'] : []),
    run.prompt,
  ],
  environment: () => ({ CONTINUE_TELEMETRY_ENABLED: '0', CONTINUE_ALLOW_ANONYMOUS_TELEMETRY: '0' }),
  homeFiles: ({ url, scenario }) => ({
    // A text of JSON is one of YAML too.
    '.continue/config.yaml': JSON.stringify({
      name: 'demo',
      version: '1.0.0',
      schema: 'v1',
      models: [
        {
          name: 'script',
          provider: 'openai',
          model: 'script',
          apiBase: `${url}/v1`,
          apiKey: 'none',
          roles: ['chat'],
          capabilities: ['tool_use'],
          defaultCompletionOptions: { contextLength: 200_000 },
        },
      ],
      ...(scenario.hasTools && {
        mcpServers: [{ name: 'demo', type: 'streamable-http', url: `${url}/mcp` }],
      }),
    }),
  }),
  stores: [['.continue/sessions', 'store/.continue/sessions']],
  // A command that fails is an error only if it writes to its errors.
  forms: (scenario) => ({
    store: { lacks: ['thinking', ...(isRefused(scenario) ? ['ending'] : [])] },
  }),
  exitsAreResults: true,
  cannot: {
    agent: 'an agent needs a session, which the first process of `cn -p` has not yet',
    parallel: 'an agent needs a session, which the first process of `cn -p` has not yet',
    nested: 'an agent needs a session, which the first process of `cn -p` has not yet',
    background: 'an agent needs a session, which the first process of `cn -p` has not yet',
    failure: 'an agent needs a session, which the first process of `cn -p` has not yet',
    picture: 'its command line has no way to send a picture',
    cut: 'it joins a text that was cut with the one of the next request',
    compaction: '`cn -p` does not store one',
    interruption: '`cn -p` stores a session at its end',
    kill: '`cn -p` stores a session at its end',
  },
}
