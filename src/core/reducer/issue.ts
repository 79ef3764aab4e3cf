/**
 * Why the reducer did not apply an event, or a part of it:
 * - `unknown-event`: the value is no event, or one of an unknown type
 * - `malformed-event`: a field of the event has a wrong value, and `path` leads to it
 * - `reserved-id`: `main` as a subagent's id, or a block id that belongs to a subagent's block
 * - `stale-upsert`: a pending block would replace a final one
 * - `delta-before-block`: the block is unknown
 * - `delta-without-text`: the block has no text
 * - `delta-too-long`: the text would be longer than 268,435,456 UTF-16 units
 * - `delta-after-final`: the block was final already; the reducer applied the delta
 * - `parent-conflict`: the subagent has another parent, which stays
 * - `cycle`: a subagent would become its own ancestor
 * - `stale-run`: a completion of another run than the current one, or a resume of the run that has ended
 * - `already-running`: a resume with a new run id while the last run goes on
 * - `other-block-id`: a subagent's block came with an id of its own; the reducer applied it as
 *   `subagent:<toolUseId>`
 * - `agent-id-conflict`: the subagent has another agent id, or the id is another subagent's
 */
export type ReducerIssueCode =
  | 'unknown-event'
  | 'malformed-event'
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
  | 'other-block-id'
  | 'agent-id-conflict'

/** Why the reducer did not apply an event as it is. The ids are the event's own. */
export interface ReducerIssue {
  readonly code: ReducerIssueCode
  /** The event's `type`, if it has one. */
  readonly eventType?: string
  readonly conversationId?: string
  readonly blockId?: string
  readonly toolUseId?: string
  readonly agentId?: string
  /** Of a malformed event: the way to the first field with a wrong value, and a description of the right one. */
  readonly path?: readonly (string | number)[]
  readonly expected?: string
}
