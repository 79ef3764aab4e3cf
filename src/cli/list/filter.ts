import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { timeInMs } from '../../core/json/lists.ts'
import type { SessionStatus } from '../../core/selectors/status.ts'
import type { ListIssue, SessionSummary } from '../../node/list/session-summary.ts'
import { searchPattern } from '../../node/search-pattern.ts'
import { queryFilter, requiredTime } from '../../node/session-index/session-filter.ts'
import { rowAt, type SessionRow } from '../../node/session-index/session-row.ts'
import { tokenCount } from './summary-text.ts'

/** Which sessions to list. */
export interface SessionFilter {
  /** A name of the program, or of the format. */
  readonly program?: string
  /** The folder where the session ran, or one above it. */
  readonly cwd?: string
  /** An age or a time. */
  readonly since?: string
  readonly status?: SessionStatus
}

/** Whether the person asked for some of the sessions only. */
export function isFilter({ program, cwd, since, status }: SessionFilter): boolean {
  return [program, cwd, since, status].some((each) => each !== undefined)
}

interface WholeOptions {
  readonly now: number
  /** Gets each session that cannot be read. */
  readonly onIssue: (issue: ListIssue) => void
}

/**
 * Yields the sessions that match, with the facts of the whole session if `isWhole`. They come newest first, so the
 * first that is too old is the end. `now` is in ms since the epoch.
 */
export async function* matchingSessions(
  sessions: AsyncIterable<SessionSummary>,
  { status, ...filter }: SessionFilter,
  { now, isWhole, onIssue }: WholeOptions & { readonly isWhole: boolean },
): AsyncGenerator<SessionSummary, void> {
  const { since } = filter
  const oldest = since === undefined ? undefined : requiredTime(since, now, 'since')
  const isWanted = queryFilter(filter, now)
  for await (const session of sessions) {
    if (oldest !== undefined && timeInMs(session.updatedAt) < oldest) return
    if (!isWanted(session)) continue
    if (!isWhole && status === undefined) {
      yield session
      continue
    }
    const row = await wholeRow(session, { now, onIssue })
    if (row && (status === undefined || row.status === status)) yield row
  }
}

/** Returns a listed session with the facts that only the whole session states. A list from the index needs no code that reads one. */
async function wholeRow(
  session: SessionSummary,
  { now, onIssue }: WholeOptions,
): Promise<SessionRow | undefined> {
  const { keptRow, readOwnState } = await import('./whole-session.ts')
  const { state, isNone } = await readOwnState(session.path, onIssue)
  return isNone ? undefined : rowAt(keptRow(session, state), now)
}

/** Returns a text that each session of the filter has. Undefined if it asks for no folder. */
export function rawPartOf({ cwd }: SessionFilter): string | undefined {
  // A session in a worktree does not name the folder of the repository.
  if (cwd === undefined || hasWorktrees(resolve(cwd))) return undefined
  return searchPattern(resolve(cwd)).rawPart
}

function hasWorktrees(folder: string): boolean {
  return (
    existsSync(join(folder, '.git', 'worktrees')) ||
    (dirname(folder) !== folder && hasWorktrees(dirname(folder)))
  )
}

/** The orders of a list: the newest first, or the greatest value first. */
export const SORT_KEYS = ['age', 'duration', 'cost', 'tokens', 'agents'] as const

export type SortKey = (typeof SORT_KEYS)[number]

/** Returns the time from the start of a session to its last change. Undefined if one of them is not known. */
export function durationMs({ startedAt, updatedAt }: SessionSummary): number | undefined {
  const ms = timeInMs(updatedAt) - timeInMs(startedAt)
  return ms >= 0 ? ms : undefined
}

const VALUES = {
  duration: durationMs,
  cost: ({ costUsd }: SessionSummary) => costUsd,
  tokens: tokenCount,
  agents: ({ agents }: SessionSummary) => agents,
}

/** Yields whole sessions in an order. Equal ones stay as they come, which is newest first, and those without the value are last. */
export async function* sortedSessions(
  sessions: AsyncIterable<SessionSummary>,
  key: SortKey,
): AsyncGenerator<SessionSummary, void> {
  if (key === 'age') return yield* sessions
  const valueIn = VALUES[key]
  const all: { readonly session: SessionSummary; readonly value: number }[] = []
  for await (const session of sessions) all.push({ session, value: valueIn(session) ?? -1 })
  yield* all.sort((left, right) => right.value - left.value).map(({ session }) => session)
}
