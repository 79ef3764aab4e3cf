import type { ScriptedCall } from '../script.ts'
import type { ModelRequest, Tokens, WireCall } from './dialect.ts'

/** One request to the model and its answer: a line of `server.ndjson`. */
export interface LogEntry {
  readonly number: number
  /** The key of the agent. Requests that the program makes for itself have none. */
  readonly agent?: string
  /** The place of the agent's step that the answer belongs to. */
  readonly step?: number
  /** Why the program asks for itself. No script foresees an `unscripted` request. */
  readonly own?: 'title' | 'summary' | 'unscripted'
  /** The agent whose conversation a summary is of, if it is not main. */
  readonly summaryOf?: string
  readonly model: string
  /** The tools that the program offers. */
  readonly tools: readonly string[]
  /** The results that no earlier request had. */
  readonly results: ModelRequest['results']
  readonly think?: string
  readonly say?: string
  readonly calls: readonly LoggedCall[]
  readonly tokens: Tokens
  /** `left` is of an answer that the program did not read to its end. */
  outcome: 'whole' | 'cut' | 'silent' | 'left' | `status ${number}`
  /** The part of the text that was sent, if the answer is not whole. */
  sent?: string
}

/** A call as it was sent, with its meaning. */
export interface LoggedCall extends WireCall {
  readonly scripted?: ScriptedCall
}
