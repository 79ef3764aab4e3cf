import type { SessionStatus } from '../../../core/selectors/status.ts'
import type { Statistic, StatisticKey } from '../../../node/session-index/statistics.ts'

/** The facts that only the whole session states. */
export interface SessionNews {
  readonly status: SessionStatus
  /** The question or the request that waits for the person, or why the session failed, in one sentence. */
  readonly reason?: string
  /** The work that goes on now, and its start. */
  readonly doing?: Doing
  /** The last text of the model, on one line. */
  readonly lastText?: string
  /** The number of changed files, with the sums of their lines. */
  readonly files?: number
  readonly added?: number
  readonly removed?: number
  /** The last time in any of its conversations. ISO 8601 in UTC. */
  readonly lastAt?: string
  /** The number of subagents that failed. */
  readonly failedAgents?: number
}

/** The call or the text that is at work. */
export interface Doing {
  readonly text: string
  /** ISO 8601. */
  readonly since?: string
}

/** A session in the list of the browser. Its id says nothing about its place on the disk. */
export interface ListedSession extends Partial<SessionNews> {
  readonly id: string
  readonly title: string
  readonly program: string
  readonly model?: string
  readonly cwd?: string
  /** ISO 8601 in UTC. */
  readonly startedAt?: string
  readonly updatedAt?: string
  readonly costUsd?: number
  readonly agents?: number
}

/**
 * A line of the list: a session in place of what the reader has of it, or one that is gone. The sessions come first, and again with
 * their statuses. `phase` says when all sessions are there, and when all statuses are.
 */
export type ListLine =
  | { readonly session: ListedSession }
  | { readonly removed: string }
  | { readonly phase: 'statuses' | 'complete' }

/** The sums of the sessions with one key. */
export type CostRow = Statistic

/** The sums of the sessions. They are partial while the index still reads sessions for the first time. */
export interface Costs {
  readonly rows: readonly CostRow[]
  readonly isPartial: boolean
}

/** The key of the browser's sums. */
export type CostsBy = Exclude<StatisticKey, 'tool'>

/** A session with the text that a person searches for, and the first place: the text before it, the text itself, and the text after it. */
export interface FoundSession {
  readonly id: string
  readonly context: readonly [before: string, match: string, after: string]
  /** The block with the text. Absent if only the title or the name of an agent has it. */
  readonly place?: { readonly conversationId: string; readonly blockId: string }
}
