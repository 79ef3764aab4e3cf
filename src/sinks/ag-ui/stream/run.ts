import type { SessionTurn } from '../../../state/turn.ts'

/** A text or call that streams: the events that end it need its kind. */
export interface OpenStream {
  readonly kind: 'text' | 'reasoning' | 'call'
  /** The id of the message or of the call. */
  readonly id: string
  readonly conversationId: string
}

/** The run that is open. */
export interface OpenRun {
  readonly threadId: string
  readonly runId: string
  readonly streams: ReadonlyMap<string, OpenStream>
  /** The agents that run, in the order of their starts. */
  readonly agents: ReadonlySet<string>
  /** The agents that have ended within the run. An agent can start only once in a run. */
  readonly endedAgents: ReadonlySet<string>
}

/** The runs of a stream. */
export interface Runs {
  /** The number of runs so far. */
  readonly count: number
  readonly open?: OpenRun
  /** The turn whose end a run has reported. */
  readonly reported?: SessionTurn
}
