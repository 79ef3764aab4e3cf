/**
 * Why an event, or a part of it, was not taken as it stands:
 * - `unknown-event`: no event, or a malformed one
 * - `reserved-id`: `main` as a subagent's id, or a block id that belongs to a subagent's block
 * - `stale-upsert`: a pending block would replace a finalised one
 * - `delta-before-block`, `delta-without-text`: no such block, or none with text
 * - `delta-too-long`: the text would be longer than 268,435,456 UTF-16 units
 * - `delta-after-final`: taken, though the block was final already
 * - `parent-conflict`: the first known parent stays
 * - `cycle`: a subagent would become its own ancestor
 * - `stale-run`: a completion of another run than the current one, or a resume of the one that has ended
 * - `already-running`: a resume with a new run while the last one still runs
 * - `agent-id-conflict`: the subagent has another agent id, or the id is another subagent's
 */
export type ReducerIssueCode =
  | 'unknown-event'
  | 'reserved-id'
  | 'stale-upsert'
  | 'delta-before-block'
  | 'delta-without-text'
  | 'delta-too-long'
  | 'delta-after-final'
  | 'parent-conflict'
  | 'cycle'
  | 'stale-run'
  | 'already-running'
  | 'agent-id-conflict'

/** What the reducer has to say of one event. The ids are the event's own. */
export interface ReducerIssue {
  readonly code: ReducerIssueCode
  /** The event's `type`; absent where it has none. */
  readonly eventType?: string
  readonly conversationId?: string
  readonly blockId?: string
  readonly toolUseId?: string
  readonly agentId?: string
}
