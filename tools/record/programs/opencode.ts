import { recordOpencode } from '../opencode-session.ts'
import type { RecordedProgram, Start } from '../program.ts'
import { type Scenario, stopOf } from '../script.ts'
import { toolCalls } from '../tools.ts'

const BINARIES = {
  opencode: 'opencode-linux-x64/bin/opencode',
  kilo: '@kilocode/cli-linux-x64/bin/kilo',
} as const

const TOOLS: Parameters<typeof toolCalls>[0] = {
  command: (command) => ({ name: 'bash', input: { command, description: 'Run it' } }),
  read: (path) => ({ name: 'read', input: { filePath: path } }),
  write: (path, content) => ({ name: 'write', input: { filePath: path, content } }),
  edit: (path, from, to) => ({ name: 'edit', input: { filePath: path, oldString: from, newString: to } }),
  agent: ({ description, prompt, background }) => ({
    name: 'task',
    input: { description, prompt, subagent_type: 'general', ...(background && { background }) },
  }),
}

/** OpenCode: its server, whose events are the stream. */
export const opencode: RecordedProgram = {
  ...familyOf('opencode'),
  name: 'opencode',
  factName: 'opencode',
  packages: ['opencode-ai'],
}

/** Kilo, a fork of OpenCode. */
export const kilo: RecordedProgram = {
  ...familyOf('kilo'),
  name: 'kilo',
  factName: 'kilo',
  packages: ['@kilocode/cli-linux-x64'],
}

function familyOf(name: 'opencode' | 'kilo'): Omit<RecordedProgram, 'name' | 'factName' | 'packages'> {
  return {
    agentType: 'general',
    compactsBy: 'command',
    tools: { call: toolCalls(TOOLS) },
    command: ({ installed }) => [`${installed}/node_modules/${BINARIES[name]}`],
    environment: ({ home }) => environmentOf(name, home),
    homeFiles: ({ url, scenario }) => ({
      [`.config/${name}/${name}.json`]: JSON.stringify(configuration(url, scenario)),
    }),
    record: (session) =>
      recordOpencode(session, {
        command: [`${session.installed}/node_modules/${BINARIES[name]}`],
        environment: environmentOf(name, session.home),
      }),
    stores: [],
    // Anthropic's API counts thinking in the output alone.
    forms: (scenario) => ({
      store: {
        lacks: [
          'reasoning',
          ...(scenario.runs.some(({ undoes }) => undoes) ? ['branches', 'branch-tokens'] : []),
        ],
      },
      // The tokens of a reply come when its calls have ended.
      stream: { lacks: stopOf(scenario) === 'kill' ? ['tokens'] : ['reasoning'] },
    }),
    exitsAreResults: true,
    showsSummaryTokens: true,
    cannot: {
      refusal: 'its server asks, and a scripted person does not answer yet',
      'kill-resume': 'the recorder has one server',
      queue: 'its events have a queued prompt before the reply that the model writes then',
    },
  }
}

function environmentOf(name: 'opencode' | 'kilo', home: Start['home']) {
  const prefix = name.toUpperCase()
  return {
    XDG_CONFIG_HOME: `${home}/.config`,
    XDG_DATA_HOME: `${home}/.local/share`,
    XDG_CACHE_HOME: `${home}/.cache`,
    XDG_STATE_HOME: `${home}/.local/state`,
    [`${prefix}_DISABLE_AUTOUPDATE`]: '1',
    [`${prefix}_DISABLE_MODELS_FETCH`]: '1',
    [`${prefix}_DISABLE_LSP_DOWNLOAD`]: '1',
    [`${prefix}_DISABLE_DEFAULT_PLUGINS`]: '1',
    [`${prefix}_EXPERIMENTAL_BACKGROUND_SUBAGENTS`]: 'true',
    KILO_TELEMETRY_LEVEL: 'off',
  }
}

function configuration(url: string, { hasTools }: Scenario) {
  const model = {
    name: 'Script',
    reasoning: true,
    tool_call: true,
    limit: { context: 128_000, output: 8192 },
    attachment: true,
    modalities: { input: ['text', 'image'], output: ['text'] },
  }
  return {
    model: 'script/script',
    small_model: 'script/script',
    autoupdate: false,
    share: 'disabled',
    permission: 'allow',
    ...(hasTools && { mcp: { demo: { type: 'remote', url: `${url}/mcp`, oauth: false } } }),
    // Agents may start agents.
    subagent_depth: 3,
    agent: { general: { permission: { task: 'allow' } } },
    provider: {
      script: {
        npm: '@ai-sdk/anthropic',
        name: 'Script',
        options: { baseURL: `${url}/v1`, apiKey: 'none' },
        models: { script: model, other: model },
      },
    },
  }
}
