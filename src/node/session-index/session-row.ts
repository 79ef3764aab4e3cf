import { omitUndefined } from '../../core/json/fields.ts'
import { timeInMs } from '../../core/json/lists.ts'
import type { SessionStatus } from '../../core/selectors/status.ts'
import type { SessionSummary } from '../list/session-summary.ts'

/** A session of a list, with the facts that only the whole session states. */
export interface SessionRow extends SessionSummary {
  /**
   * As `sessionStatus` returns it. A session that changed in the last 15 minutes may still run or wait. Absent if it
   * cannot be read.
   */
  readonly status?: SessionStatus
  /** Why it failed, or the title of the request that it waits for. */
  readonly reason?: string
  /** Whether `tokens` has figures that a later report may replace. */
  readonly isProvisional: boolean
  /** The machine that has pushed it, and its file there. Only sessions of an index in a database have them. */
  readonly machine?: string
  readonly file?: string
}

/** The status of a session, and its reason. */
export interface RowStatus {
  readonly status: SessionStatus
  readonly reason?: string
}

/** A row as it is kept: its status depends on the time of the question. */
export interface KeptRow extends Omit<SessionRow, 'status' | 'reason'> {
  /** The status of a session that nothing writes to. */
  readonly ended?: RowStatus
  /** The status if the turn and the agents go on that the end of the file stopped. Absent if it is the same. */
  readonly open?: RowStatus
  /** The last time in a conversation, in ms since the epoch. */
  readonly lastAt?: number
  /** The names of the called tools, and whether a call failed. */
  readonly tools: readonly string[]
  readonly hasFailures: boolean
  /** The last text of the model. It may be shortened. */
  readonly answer?: string
}

/** The facts of a row that an index holds in memory: the answers filter and sort by them. */
export type RowFacts = Pick<
  KeptRow,
  | ('id' | 'format' | 'program' | 'cwd' | 'startedIn' | 'updatedAt' | 'costUsd')
  | ('ended' | 'open' | 'lastAt' | 'tools' | 'hasFailures')
>

/** Returns the facts of a row. */
export function rowFacts(row: KeptRow): RowFacts {
  const { id, format, program, cwd, startedIn, updatedAt, costUsd } = row
  const { ended, open, lastAt, tools, hasFailures } = row
  return omitUndefined({
    ...{ id, format, program, cwd, startedIn, updatedAt, costUsd },
    ...{ ended, open, lastAt, tools, hasFailures },
  })
}

/** A turn or an agent without an end goes on if the session changed since. A tool may take that long without a word. */
export const ACTIVE_MS: number = 15 * 60_000

/** Returns the row of a list at a time in ms since the epoch. */
export function rowAt(kept: KeptRow, now: number): SessionRow {
  const { ended, open, lastAt, tools, hasFailures, answer, ...row } = kept
  return { ...row, ...statusAt(kept, now) }
}

/** Returns the status of a session at a time in ms since the epoch. */
export function statusAt(
  { updatedAt, ended, open, lastAt = 0 }: Pick<RowFacts, 'updatedAt' | 'ended' | 'open' | 'lastAt'>,
  now: number,
): RowStatus | undefined {
  const last = Math.max(timeInMs(updatedAt ?? '') || 0, lastAt)
  return now - last < ACTIVE_MS ? (open ?? ended) : ended
}
