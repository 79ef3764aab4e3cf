import type { RecordedProgram } from '../program.ts'
import { toolCalls } from '../tools.ts'

/** GitHub Copilot CLI: `copilot -p --output-format json`. */
export const copilot: RecordedProgram = {
  name: 'copilot',
  factName: 'GitHub Copilot CLI',
  packages: ['@github/copilot'],
  needsNode22: true,
  agentType: 'general-purpose',
  compactsBy: 'command',
  tools: {
    call: toolCalls({
      command: (command) => ({ name: 'bash', input: { command, description: 'Run it' } }),
      read: (path) => ({ name: 'view', input: { path } }),
      write: (path, content) => ({ name: 'create', input: { path, file_text: content } }),
      edit: (path, from, to) => ({ name: 'edit', input: { path, old_str: from, new_str: to } }),
      agent: ({ agent, description, prompt, background }) => ({
        name: 'task',
        input: {
          description,
          prompt,
          agent_type: 'general-purpose',
          name: `worker-${agent.toLowerCase()}`,
          mode: background ? 'background' : 'sync',
        },
      }),
    }),
  },
  command: ({ installed, node, run, resumes }) => [
    node,
    `${installed}/node_modules/@github/copilot/npm-loader.js`,
    ...['-p', run.prompt, '--output-format', 'json'],
    ...(run.refuses ? [] : ['--allow-all-tools', '--allow-all-paths']),
    ...(resumes ? ['--continue'] : []),
  ],
  environment: ({ url, run }) => ({
    CI: '1',
    COPILOT_OFFLINE: 'true',
    COPILOT_AUTO_UPDATE: 'false',
    COPILOT_PROVIDER_TYPE: 'openai',
    COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
    COPILOT_PROVIDER_API_KEY: 'none-at-all',
    COPILOT_MODEL: run.isOtherModel ? 'other' : 'script',
  }),
  homeFiles: ({ work, url, scenario }) => ({
    '.copilot/config.json': JSON.stringify({ trusted_folders: [work] }),
    ...(scenario.hasTools && {
      '.copilot/mcp-config.json': JSON.stringify({
        mcpServers: { demo: { type: 'http', url: `${url}/mcp`, tools: ['*'] } },
      }),
    }),
  }),
  stores: [['.copilot/session-state', 'store/session-state']],
  forms: () => ({ store: { lacks: ['cuts'] }, stream: { lacks: ['tokens'] } }),
  exitsAreResults: true,
  cannot: {
    picture: 'its command line has only the name of a file',
    background: 'the program makes a call of its own, `read_agent`, which no script foresees',
    compaction: 'its command line has no command for it',
  },
}
