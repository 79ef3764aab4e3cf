/** A session's main transcript with the transcripts of its subagents. */
export interface CombinedTranscript {
  readonly main: string
  readonly subagents: readonly SubagentTranscript[]
}

/** A subagent's transcript. */
export interface SubagentTranscript {
  /** The agent's own id. */
  readonly id: string
  readonly transcript: string
  /** The text of the file in which the program stores facts about the agent. */
  readonly meta?: string
}

/**
 * The input is not a transcript of one session:
 * - `not-a-transcript`: the source knows none of its lines
 * - `no-session`: none of the files holds a session
 * - `several-sessions`: the files hold several sessions
 */
export class TranscriptError extends Error {
  readonly code: 'not-a-transcript' | 'no-session' | 'several-sessions'

  constructor(code: TranscriptError['code'], message: string) {
    super(message)
    this.name = 'TranscriptError'
    this.code = code
  }
}
