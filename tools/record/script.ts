/** A call that the model makes, in terms of what it does. A program gives it the name and the input of its own tool. */
export type ScriptedCall =
  | {
      readonly does: 'command'
      readonly command: string
      readonly contains: string
      readonly fails?: 'exit' | 'refusal'
    }
  | { readonly does: 'read'; readonly path: string; readonly contains: string }
  | { readonly does: 'write'; readonly path: string; readonly content: string }
  /** A look at a picture. */
  | { readonly does: 'look'; readonly path: string }
  /** A tool of the demo server. */
  | { readonly does: 'tool'; readonly tool: string; readonly contains: string; readonly fails: boolean }
  | { readonly does: 'edit'; readonly path: string; readonly from: string; readonly to: string }
  /** A call of a tool that is not there, or one without the input that its tool needs. */
  | { readonly does: 'mistake'; readonly kind: 'unknown-tool' | 'empty-input' }
  | {
      readonly does: 'agent'
      readonly agent: string
      readonly prompt: string
      readonly description: string
      readonly background?: true
    }

/** One reply of the model. */
export interface Reply {
  readonly think?: string
  readonly say?: string
  readonly calls?: readonly ScriptedCall[]
  /** The reply stops after so many words: the connection is cut, or nothing more comes until the program has gone. */
  readonly stops?: { readonly afterWords: number; readonly by: 'cut' | 'silence' }
  /** The server answers with this HTTP status instead. */
  readonly status?: number
  /** The milliseconds before the answer. */
  readonly waits?: number
  /** The input tokens that the server reports, if a scenario needs many. */
  readonly inputTokens?: number
}

/** A step of an agent: what it is asked, what the model answers, or where it needs the reports of its agents. */
export type Step =
  | { readonly prompt: string }
  | { readonly reply: Reply }
  | { readonly awaits: readonly string[]; readonly say?: string }

/** An agent of a script. Main has no parent. */
export interface ScriptedAgent {
  readonly key: string
  readonly parent: string | null
  readonly steps: readonly Step[]
  readonly status: 'success' | 'error' | 'running' | 'interrupted'
}

/** A process of the program. All processes of a scenario belong to one session. */
export interface Run {
  readonly prompt: string
  /** What happens as soon as the model is silent. The person may stop the agent alone that it speaks to. */
  readonly stop?: 'interrupt' | 'kill' | 'agent'
  /** The process starts in another folder. */
  readonly isElsewhere?: true
  /** The person has taken back the turn before. */
  readonly undoes?: true
  /** The prompt goes to a fork of the session. */
  readonly forks?: true
  /** The person sends the prompt while the turn before it runs. */
  readonly isQueued?: true
  /** The prompt has a picture. */
  readonly hasPicture?: true
  /** The person has chosen the other model. */
  readonly isOtherModel?: true
  /** The program may do nothing without asking, and nobody answers. */
  readonly refuses?: true
}

/** A session, written once for all programs. */
export interface Scenario {
  readonly name: string
  readonly agents: readonly ScriptedAgent[]
  readonly runs: readonly Run[]
  readonly ending: 'finished' | 'failed' | 'interrupted' | 'running'
  readonly changes?: readonly {
    readonly path: string
    readonly kind: 'add' | 'edit'
    readonly added: number
    readonly removed: number
  }[]
  /** The files of its folder besides those of all scenarios. */
  readonly files?: Readonly<Record<string, string>>
  /** Whether the program has the tools of the demo server. */
  readonly hasTools?: true
  /** The program's limit of tokens, above which it compacts. */
  readonly compactsAbove?: number
}

/** Returns the report of an agent: its last text. */
export function reportOf({ steps }: ScriptedAgent): string {
  return steps.reduce((last, step) => ('reply' in step ? (step.reply.say ?? last) : last), '')
}

/** Returns the keys of the agents that other agents have started. */
export function innerAgents({ agents }: Scenario): readonly string[] {
  return agents.flatMap(({ key, parent }) => (parent === null || parent === 'main' ? [] : [key]))
}

/** Whether the server fails a request, from a status on. From 500 on, the program may send the request again. */
export function hasFailures({ agents }: Scenario, from: 400 | 500 = 500): boolean {
  return agents.some(({ steps }) =>
    steps.some(
      (step) => 'reply' in step && ((step.reply.status ?? 0) >= from || step.reply.stops?.by === 'cut'),
    ),
  )
}

/** Whether an agent works in the background. */
export function hasBackground({ agents }: Scenario): boolean {
  return agents.some(({ steps }) =>
    steps.some(
      (step) => 'reply' in step && step.reply.calls?.some((call) => call.does === 'agent' && call.background),
    ),
  )
}

/** Whether nobody allows what the program asks for. */
export function isRefused({ runs }: Scenario): boolean {
  return runs.some(({ refuses }) => refuses)
}

/** Returns how a process stops. At most one does. */
export function stopOf({ runs }: Scenario): Run['stop'] {
  return runs.find(({ stop }) => stop)?.stop
}

/** Returns the keys of the agents that the person stops, and with them the calls that wait for them. */
export function stoppedAgents({ agents }: Scenario): readonly string[] {
  const isSilent = (step: Step) => 'reply' in step && step.reply.stops?.by === 'silence'
  return agents.flatMap(({ key, parent, steps }) => (parent !== null && steps.some(isSilent) ? [key] : []))
}

/** The time after a prompt at which the person sends the next one, if it is queued. */
export const MILLISECONDS_BEFORE_QUEUED = 800

/** The picture in the folder in which every program works. */
export const PICTURE_FILE = 'dot.png'

/** What the server says if it refuses a request. */
export const REFUSAL = 'The model refuses this request.'
