import type { ReducerIssue } from '../core/reducer/issue.ts'

/**
 * The problems that a source reports:
 * - `malformed-line`: lines are not JSON. The source reads the others. A transcript has one such issue, with a
 *   count.
 * - `unknown-message`, `unknown-block`: the source does not know the type in `messageType`.
 * - `too-many-parts`: a message has more than 1,000 parts. The source leaves out the later ones; `messageType`
 *   names them.
 * - `too-deep`: a message is nested deeper than 254 levels. The source replaces the deeper values with `[nested too
 *   deep]`.
 * - `unplaced-message`: a message belongs to a subagent, and nothing links it to a call.
 * - `other-session`: a message belongs to another session: of the same server, or joined to the same stream.
 * - `unfinished-subagent`: an agent still ran when the input ended. A finished session may leave an agent that
 *   waits for more work.
 * - `unproven-format`: no line proves which program wrote the transcript, and all lines fit one wire.
 * - `missing-agent-transcript`: the program writes a file for each agent, and that of the agent is not beside the
 *   session's own. `readSession` alone reports it.
 */
export type SourceIssueCode =
  | 'malformed-line'
  | 'unknown-message'
  | 'unknown-block'
  | 'too-many-parts'
  | 'too-deep'
  | 'unplaced-message'
  | 'other-session'
  | 'unfinished-subagent'
  | 'missing-agent-transcript'
  | 'unproven-format'

/** The place of a problem in an input. */
interface IssuePlace {
  /** The number of the message in the batch of `read`, counted from 0. Absent at the input's end, and where the line is known. */
  readonly index?: number
  /** The first line with the problem, counted from 1. */
  readonly line?: number
  /** The file or the subagent of the line, if the input has several. */
  readonly transcript?: string
}

/** A problem in an input, with its place. */
export interface SourceIssue extends IssuePlace {
  readonly code: SourceIssueCode
  /** How often the problem occurred. */
  readonly count: number
  /** The unknown type, such as `system/tea_break`. */
  readonly messageType?: string
  /** The subagent with the problem, by the id that the input gives it. */
  readonly toolUseId?: string
}

/** Why the reducer did not apply an event of the source as it is, for example because a delta has no block. */
export interface RefusedEvent extends ReducerIssue, IssuePlace {
  /** How often the problem occurred. */
  readonly count?: number
}

/** A problem that reading a message meets. */
export type ReadIssue = SourceIssue | RefusedEvent
