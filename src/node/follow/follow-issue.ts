import type { ReadIssue } from '../../reading/source.ts'

/**
 * The reason why following began again:
 * - `truncated`: a file is shorter than before
 * - `replaced`: a file has other content than before
 * - `removed`: a file is gone
 * - `reordered`: a line arrived late, and the order of the lines' times gives another state
 * - `rewritten`: the program wrote the whole file again, and its messages do not continue the old ones
 * - `unusable-progress`: the value to resume from is not a progress that this version saved
 */
export type RestartReason =
  | 'truncated'
  | 'replaced'
  | 'removed'
  | 'reordered'
  | 'rewritten'
  | 'unusable-progress'

/** The events of the update start at the initial state, and not at the state of the last update. */
export interface RestartIssue {
  readonly code: 'restarted'
  readonly reason: RestartReason
  /** The file with the change. */
  readonly path: string
}

/** The system cannot watch files. Following goes on with the slow poll alone. */
export interface WatchIssue {
  readonly code: 'watch-failed'
  readonly reason: string
}

/** A problem of a followed session. */
export type FollowIssue = ReadIssue | RestartIssue | WatchIssue
