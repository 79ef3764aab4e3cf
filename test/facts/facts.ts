/** What a session's model said and did, and what the tools gave it, in order. `call` of a result is the place of its call in the list. */
export type FactItem =
  | { readonly type: 'prompt'; readonly text: string; readonly typed?: string; readonly pictures?: number }
  | { readonly type: 'text' | 'thinking' | 'cut'; readonly text: string; readonly dropped?: boolean }
  | FactCall
  | { readonly type: 'result'; readonly call: number; readonly contains: string; readonly isError: boolean }
  | { readonly type: 'agent'; readonly key: string }
  | { readonly type: 'notification' | 'message' | 'error' | 'compaction' }

/** A call of the model. `process` is of a command that goes on: what it wrote in all, and its exit code if it ended. */
export interface FactCall {
  readonly type: 'call'
  readonly id?: string
  readonly name: string
  readonly input: unknown
  /** Why some forms do not have the call: it was refused, its tool is unknown, or it was lost. */
  readonly flag?: string
  readonly process?: { readonly exitCode: number | null; readonly output: readonly string[] }
}

/** The result of a call, as the model read it. */
export type FactResult = Extract<FactItem, { readonly type: 'result' }>

/** An agent of a recording. Its tokens are those of the replies that were whole. */
export interface FactAgent {
  readonly key: string
  /** The id of the session, if the recording has several. */
  readonly session?: string
  readonly parent: string | null
  readonly name?: string
  readonly prompt?: string
  /** The label and the phase of an agent of a workflow. */
  readonly label?: string
  readonly phase?: string
  readonly items: readonly FactItem[]
  readonly status: 'success' | 'running' | 'error' | 'interrupted'
  /** The models of its whole replies. */
  readonly models?: readonly string[]
  readonly tokens: FactTokens
  /** The number of its items that a fork has from its base. */
  readonly inherited?: number
  /** Whether a rewind has abandoned the agent's call. */
  readonly abandoned?: boolean
  /** The number of first items that a forked session has from another one. */
  readonly copied?: number
}

/** Tokens by name. Those of `other` are of requests that are no reply of the conversation, such as for a summary. */
interface FactTokens {
  readonly [name: string]: number | boolean | Readonly<Record<string, number>> | undefined
  readonly other?: Readonly<Record<string, number>>
  readonly inputIncludesCached?: boolean
}

export interface FactForm {
  readonly lacks?: readonly string[]
  /** The names of the calls that the form does not have. */
  readonly lacksCalls?: readonly string[]
  /** The keys of the agents that the form does not have. */
  readonly lacksAgents?: readonly string[]
  /** The texts that the form does not have. */
  readonly lacksTexts?: readonly string[]
}

/** A request to the person. `about` is in its title or its further facts. */
export interface FactRequest {
  readonly kind: 'permission' | 'question'
  readonly about: string
  readonly answer: string
}

/**
 * The facts of a recording (`facts.json`): what was scripted, and what the model server answered. They come from the script and from the log of
 * the server, and never from the program's files.
 */
export interface Facts {
  readonly program: string
  readonly version?: string
  readonly agents: readonly FactAgent[]
  /** The state of main's turn at the last message. */
  readonly ending: 'finished' | 'running' | 'failed' | 'interrupted'
  readonly branches?: readonly (readonly string[])[]
  readonly requests?: readonly FactRequest[]
  readonly todos?: readonly { readonly text: string; readonly status: string }[]
  readonly changes?: readonly {
    readonly path: string
    readonly kind: string
    readonly added: number
    readonly removed: number
    /** Whether a command of the shell has made the change. */
    readonly by?: 'shell'
  }[]
  /** Further sessions of the recording, by what they said in order. */
  readonly others?: readonly { readonly texts: readonly string[] }[]
  /** The commands that the person ran with `!`. */
  readonly personCommands?: readonly {
    readonly cmd: string
    readonly exitCode: number
    readonly contains: string
  }[]
  /** Words of texts that the program, and neither the person nor the model, has written. */
  readonly noise?: readonly string[]
  /** Further sessions of the recording, with their own facts. Those of Claude Code name only their main agent. */
  readonly sessions?: readonly Partial<Pick<Facts, 'agents'>>[]
  /** What a form of the session does not carry, in a fixed list of words. */
  readonly forms: Readonly<Record<string, FactForm>>
}
