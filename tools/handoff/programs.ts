/** Where a program resumes a session. */
interface ResumePlace {
  readonly home: string
  readonly installed: string
  readonly node: string
  /** The address of the model. */
  readonly url: string
  /** The commands that the writer gave, with whole paths. */
  readonly commands: readonly (readonly string[])[]
}

/** A program that can resume a session without a person. */
export interface ResumingProgram {
  readonly name: string
  readonly packages: readonly [name: string, ...others: readonly string[]]
  readonly folder: (home: string) => string
  readonly homeFiles: (place: ResumePlace) => Readonly<Record<string, string>>
  readonly environment: (place: ResumePlace) => Readonly<Record<string, string>>
  /** Returns the commands that go on with a prompt: those of the writer, without a terminal. */
  readonly commands: (place: ResumePlace) => readonly (readonly string[])[]
}

export const PROMPT = 'Go on with it.'

const lastWord = ({ commands }: ResumePlace) => commands.at(-1)?.at(-1) ?? ''

export const RESUMING_PROGRAMS: readonly ResumingProgram[] = [
  {
    name: 'claude-code',
    packages: ['@anthropic-ai/claude-code'],
    folder: (home) => `${home}/.claude/projects`,
    homeFiles: () => ({}),
    environment: ({ home, url }) => ({
      CLAUDE_CONFIG_DIR: `${home}/.claude`,
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: 'none',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      IS_SANDBOX: '1',
    }),
    commands: (place) => [
      [
        `${place.installed}/node_modules/@anthropic-ai/claude-code-linux-x64/claude`,
        ...['-p', PROMPT, '--resume', lastWord(place), '--dangerously-skip-permissions'],
      ],
    ],
  },
  {
    name: 'codex',
    packages: ['@openai/codex'],
    folder: (home) => `${home}/.codex/sessions`,
    homeFiles: ({ url }) => ({
      '.codex/config.toml': `model = "gpt-5.5"\nmodel_provider = "script"\n[model_providers.script]\nname = "Script"\nbase_url = "${url}/v1"\nenv_key = "MODEL_KEY"\nwire_api = "responses"\n`,
    }),
    environment: ({ home }) => ({ CODEX_HOME: `${home}/.codex`, MODEL_KEY: 'none' }),
    commands: (place) => [
      [
        `${place.installed}/node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex`,
        ...['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'],
        ...['resume', lastWord(place), PROMPT],
      ],
    ],
  },
  {
    name: 'opencode',
    packages: ['opencode-ai', 'opencode-linux-x64'],
    folder: (home) => `${home}/demo`,
    homeFiles: ({ url }) => ({ 'demo/opencode.json': JSON.stringify(opencodeConfig(url)) }),
    environment: ({ home }) => ({
      XDG_DATA_HOME: `${home}/.local/share`,
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_AUTOUPDATE: '1',
    }),
    commands: (place) => {
      const program = `${place.installed}/node_modules/opencode-linux-x64/bin/opencode`
      const imports = place.commands.slice(0, -1).map(([, ...words]) => [program, ...words])
      return [...imports, [program, 'run', '--session', lastWord(place), PROMPT]]
    },
  },
  {
    name: 'pi',
    packages: ['@earendil-works/pi-coding-agent'],
    folder: (home) => `${home}/.pi/agent/sessions`,
    homeFiles: ({ url }) => ({
      '.pi/agent/models.json': JSON.stringify({ providers: { script: piProvider(url) } }),
      '.pi/agent/settings.json': JSON.stringify({ defaultProvider: 'script', defaultModel: 'mock-1' }),
    }),
    environment: () => ({}),
    commands: (place) => [
      [
        place.node,
        `${place.installed}/node_modules/@earendil-works/pi-coding-agent/dist/cli.js`,
        ...['--mode', 'json', '-p', '--session', lastWord(place), PROMPT],
      ],
    ],
  },
]

function opencodeConfig(url: string): object {
  const limit = { context: 200_000, output: 8_192 }
  const models = { 'mock-1': { name: 'Mock', tool_call: true, reasoning: true, attachment: true, limit } }
  const options = { baseURL: `${url}/v1`, apiKey: 'none' }
  const provider = { script: { npm: '@ai-sdk/anthropic', name: 'Script', options, models } }
  return { autoupdate: false, share: 'disabled', model: MODEL, small_model: MODEL, provider }
}

function piProvider(url: string): object {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
  const model = { id: 'mock-1', name: 'mock-1', reasoning: false, input: ['text', 'image'], cost }
  const models = [{ ...model, contextWindow: 128_000, maxTokens: 4_096 }]
  return { baseUrl: `${url}/v1`, api: 'openai-completions', apiKey: 'none', models }
}

/** The model that the sessions name. */
export const MODEL = 'script/mock-1'
