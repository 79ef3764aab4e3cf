import type { RecordedProgram, Start } from '../record/program.ts'
import { copilot } from '../record/programs/copilot.ts'
import { gemini } from '../record/programs/gemini.ts'
import { kimi } from '../record/programs/kimi.ts'
import { qwen } from '../record/programs/qwen.ts'
import type { WireCall } from '../record/server/dialect.ts'

/** Where a program resumes a session. */
export interface ResumePlace {
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
  readonly needsNode22?: true
  /** The model that it goes on with, if it has another name here. */
  readonly model?: string
  readonly folder: (home: string) => string
  readonly homeFiles: (place: ResumePlace) => Readonly<Record<string, string>>
  readonly environment: (place: ResumePlace) => Readonly<Record<string, string>>
  /** Returns the commands that go on with a prompt: those of the writer, without a terminal. */
  readonly commands: (place: ResumePlace, prompt: string) => readonly (readonly string[])[]
  /** How an agent of a session goes on, by its id in the program; by neither way if the program lets no agent go on. */
  readonly agents?: AgentResume
}

interface AgentResume {
  /** Returns the command that goes on with an agent. */
  readonly command?: (agentId: string, place: ResumePlace, prompt: string) => readonly string[]
  /** Returns the call with which main lets its agent go on. */
  readonly call?: (agentId: string, prompt: string) => Omit<WireCall, 'id'>
}

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
    commands: (place, prompt) => [
      [
        `${place.installed}/node_modules/@anthropic-ai/claude-code-linux-x64/claude`,
        ...['-p', prompt, '--resume', lastWord(place), '--dangerously-skip-permissions'],
      ],
    ],
    agents: {
      call: (to, message) => ({ name: 'SendMessage', input: { to, summary: 'Go on', message } }),
    },
  },
  {
    name: 'codex',
    packages: ['@openai/codex'],
    folder: (home) => `${home}/.codex/sessions`,
    homeFiles: ({ url }) => ({
      '.codex/config.toml': `model = "gpt-5.5"\nmodel_provider = "script"\n[model_providers.script]\nname = "Script"\nbase_url = "${url}/v1"\nenv_key = "MODEL_KEY"\nwire_api = "responses"\n`,
    }),
    environment: ({ home }) => ({ CODEX_HOME: `${home}/.codex`, MODEL_KEY: 'none' }),
    commands: (place, prompt) => [codexCommand(place, lastWord(place), prompt)],
    agents: { command: (id, place, prompt) => codexCommand(place, id, prompt) },
  },
  {
    name: 'opencode',
    packages: ['opencode-ai'],
    folder: (home) => `${home}/demo`,
    homeFiles: ({ url }) => ({ 'demo/opencode.json': JSON.stringify(opencodeConfig(url)) }),
    environment: ({ home }) => ({
      XDG_DATA_HOME: `${home}/.local/share`,
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_AUTOUPDATE: '1',
    }),
    commands: (place, prompt) => {
      const imports = place.commands.slice(0, -1).map(([, ...words]) => [opencodeProgram(place), ...words])
      return [...imports, [opencodeProgram(place), 'run', '--session', lastWord(place), prompt]]
    },
    agents: {
      command: (id, place, prompt) => [opencodeProgram(place), 'run', '--session', id, prompt],
    },
  },
  {
    name: 'pi',
    packages: ['@earendil-works/pi-coding-agent'],
    needsNode22: true,
    folder: (home) => `${home}/.pi/agent/sessions`,
    homeFiles: ({ url }) => ({
      '.pi/agent/models.json': JSON.stringify({ providers: { script: piProvider(url) } }),
      '.pi/agent/settings.json': JSON.stringify({ defaultProvider: 'script', defaultModel: 'mock-1' }),
    }),
    environment: () => ({}),
    commands: (place, prompt) => [
      [
        place.node,
        `${place.installed}/node_modules/@earendil-works/pi-coding-agent/dist/cli.js`,
        ...['--mode', 'json', '-p', '--session', lastWord(place), prompt],
      ],
    ],
  },
  asRecorded(gemini, '.gemini/tmp'),
  // It lets those go on that ran in the background, and no others.
  asRecorded(qwen, '.qwen/projects'),
  // It knows no agent of an earlier process.
  asRecorded(copilot, '.copilot/session-state'),
  {
    ...asRecorded(kimi, '.kimi-code/sessions'),
    model: 'script/m',
    agents: {
      call: (resume, prompt) => ({ name: 'Agent', input: { resume, prompt, description: 'Go on' } }),
    },
  },
]

/** The recorder starts the program. It goes on with the words of the writer's command behind the program's name. */
function asRecorded(program: RecordedProgram, folder: string): ResumingProgram {
  const { name, packages, needsNode22 } = program
  const startOf = (place: ResumePlace, prompt = ''): Start => ({
    ...place,
    work: `${place.home}/demo`,
    run: { prompt },
    resumes: false,
    scenario: { name: 'handoff', agents: [], runs: [], ending: 'finished' },
  })
  return {
    name,
    packages,
    ...(needsNode22 && { needsNode22 }),
    folder: (home) => `${home}/${folder}`,
    homeFiles: (place) => program.homeFiles?.({ ...startOf(place), silence: Promise.resolve() }) ?? {},
    environment: (place) => program.environment(startOf(place)),
    commands: (place, prompt) => [
      [...program.command(startOf(place, prompt)), ...(place.commands.at(-1)?.slice(1) ?? [])],
    ],
  }
}

function codexCommand({ installed }: ResumePlace, session: string, prompt: string): readonly string[] {
  return [
    `${installed}/node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex`,
    ...['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'],
    ...['resume', session, prompt],
  ]
}

function opencodeProgram({ installed }: ResumePlace): string {
  return `${installed}/node_modules/opencode-linux-x64/bin/opencode`
}

function opencodeConfig(url: string): object {
  const limit = { context: 200_000, output: 8_192 }
  const modalities = { input: ['text', 'image'], output: ['text'] }
  const model = { name: 'Mock', tool_call: true, reasoning: true, attachment: true, modalities, limit }
  const models = { 'mock-1': model }
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
