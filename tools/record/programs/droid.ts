import { readdirSync } from 'node:fs'
import type { RecordedProgram } from '../program.ts'
import { isRefused, stopOf } from '../script.ts'
import { type ToolTable, toolCalls } from '../tools.ts'

const TOOLS: ToolTable = {
  command: (command) => ({
    name: 'Execute',
    input: { command, summary: 'Run it', riskLevel: 'low', riskLevelReason: 'It prints a text.' },
  }),
  read: (path) => ({ name: 'Read', input: { file_path: path } }),
  write: (path, content) => ({ name: 'Create', input: { file_path: path, content } }),
  edit: (path, from, to) => ({ name: 'Edit', input: { file_path: path, old_str: from, new_str: to } }),
  agent: ({ description, prompt, background = false }) => ({
    name: 'Task',
    input: { subagent_type: 'explorer', description, prompt, run_in_background: background },
  }),
}

/** The program refuses a command by the risk that its call names. */
const RISKY: ToolTable = {
  ...TOOLS,
  command: (command) => ({
    name: 'Execute',
    input: { command, summary: 'Run it', riskLevel: 'high', riskLevelReason: 'It changes files.' },
  }),
}

const NO_TOKENS = ['input', 'output', 'cacheRead']

/** Factory Droid: `droid exec -o stream-json`. */
export const droid: RecordedProgram = {
  name: 'droid',
  factName: 'droid',
  packages: ['@factory/cli-linux-x64'],
  agentType: 'explorer',
  compactsBy: 'command',
  tools: {
    call: (call, offer) =>
      toolCalls(call.does === 'command' && call.fails === 'refusal' ? RISKY : TOOLS)(call, offer),
  },
  command: ({ installed, run, resumes, home }) => [
    `${installed}/node_modules/@factory/cli-linux-x64/bin/droid`,
    'exec',
    ...['-o', 'stream-json', '-m', run.isOtherModel ? 'custom:other-1' : 'custom:script-0'],
    ...(run.refuses ? [] : ['--skip-permissions-unsafe']),
    ...(resumes ? ['-s', sessionIn(home)] : []),
    run.prompt,
  ],
  // Agents need an account, which the server of the model answers for.
  environment: ({ url }) => ({ FACTORY_API_KEY: 'fk-x', FACTORY_API_BASE_URL: url }),
  homeFiles: ({ url, scenario }) => ({
    '.factory/settings.json': JSON.stringify({
      customModels: [modelOf(url, 'script', 0), modelOf(url, 'other', 1)],
    }),
    ...(scenario.hasTools && {
      '.factory/mcp.json': JSON.stringify({
        mcpServers: { demo: { type: 'http', url: `${url}/mcp`, disabled: false } },
      }),
    }),
  }),
  stores: [['.factory/sessions', 'store/.factory/sessions']],
  // Tokens are those of the whole session, and a reply that was cut leaves nothing.
  forms: (scenario) => ({
    store: { lacks: ['reasoning', 'requests', 'cuts', ...(isRefused(scenario) ? ['ending'] : [])] },
    // Agents have no lines of their own, and their tokens are among those of the session. Its end has them.
    stream: {
      lacks: [
        'reasoning',
        'requests',
        'cuts',
        ...(scenario.agents.length > 1 ? ['child-contents', ...NO_TOKENS] : []),
        ...(stopOf(scenario) ? NO_TOKENS : []),
        ...(isRefused(scenario) ? ['ending', ...NO_TOKENS] : []),
      ],
    },
  }),
  cannot: {
    nested: 'its agents start no agents',
    picture: 'its command line has no way to send a picture',
    compaction: '`droid exec` has no command for it',
  },
}

/** Returns the id of the session that the first process has begun. */
function sessionIn(home: string): string {
  const paths = readdirSync(`${home}/.factory/sessions`, { recursive: true }).map(String)
  return paths.flatMap((path) => /([^/]+)\.jsonl$/.exec(path)?.[1] ?? [])[0] ?? ''
}

function modelOf(url: string, model: string, index: number) {
  return {
    model,
    index,
    id: `custom:${model}-${index}`,
    displayName: model,
    baseUrl: `${url}/v1`,
    apiKey: 'none',
    provider: 'generic-chat-completion-api',
    maxOutputTokens: 8192,
    noImageSupport: false,
  }
}
