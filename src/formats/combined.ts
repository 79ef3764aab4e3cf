/** A session's main transcript together with those of its subagents. */
export interface CombinedTranscript {
  readonly main: string
  readonly subagents: readonly SubagentTranscript[]
}

/** A subagent's transcript. */
export interface SubagentTranscript {
  /** The agent's own id. */
  readonly id: string
  readonly transcript: string
  /** What the program notes about the agent in a file of its own, as text. */
  readonly meta?: string
}

/**
 * An input that is no transcript:
 * - `not-a-transcript`: there is something, but not one line that the source knows
 * - `no-session`: no session's file among the files
 * - `several-sessions`: more than one, and nothing says which
 */
export class TranscriptError extends Error {
  readonly code: 'not-a-transcript' | 'no-session' | 'several-sessions'

  constructor(code: TranscriptError['code'], message: string) {
    super(message)
    this.name = 'TranscriptError'
    this.code = code
  }
}
