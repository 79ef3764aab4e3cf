import { existsSync } from 'node:fs'
import { dirname, join, resolve, sep } from 'node:path'
import { timeInMs } from '../../core/json/lists.ts'
import type { SessionStatus } from '../../core/selectors/status.ts'
import { environmentOf, sessionPlaces } from '../../node/list/program-places.ts'
import type { ListIssue, SessionSummary } from '../../node/list/session-summary.ts'
import { searchPattern } from '../../node/search-pattern.ts'
import { queryFilter, requiredTime } from '../../node/session-index/session-filter.ts'
import { rowAt, type SessionRow } from '../../node/session-index/session-row.ts'
import { DEFAULT_COLUMNS, type Terminal } from '../terminal/terminal.ts'
import { oneLine } from '../terminal/text.ts'
import type { MachineOptions } from './machine-index.ts'
import { tokenCount } from './summary-text.ts'

/** Which sessions to list. */
export interface SessionFilter {
  /** A name of the program, or of the format. */
  readonly program?: string
  /** The folder where the session ran, or one above it. */
  readonly cwd?: string
  /** An age or a time. */
  readonly since?: string
  readonly until?: string
  readonly status?: SessionStatus
}

/** Whether the person asked for some of the sessions only. */
export function isFilter({ program, cwd, since, until, status }: SessionFilter): boolean {
  return [program, cwd, since, until, status].some((each) => each !== undefined)
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

/** The place in which a command has found no session. */
interface SearchedPlace {
  /** The folder that a person passed. */
  readonly folder?: string | undefined
  /** Whether the command takes a folder. */
  readonly takesFolder?: boolean
  readonly index?: MachineOptions['index'] | undefined
}

/** Says on standard error why there is no session. An empty list is an answer. */
export async function reportNone(
  filter: SessionFilter,
  { folder, takesFolder = false, index }: SearchedPlace,
  terminal: Terminal,
): Promise<void> {
  const gone = filter.cwd !== undefined && !existsSync(filter.cwd) ? filter.cwd : undefined
  const isOfMachine = typeof index !== 'string'
  const say = (text: string) => terminal.writeError(`agentfold: ${oneLine(text)}\n`)
  if (gone !== undefined && isOfMachine) say(`no session matches: ${resolve(gone)}: no such folder`)
  else if (isFilter(filter) || !isOfMachine) say('no session matches')
  else if (folder !== undefined)
    say(`no sessions in ${folder}: pass another folder, or a file to agentfold show`)
  else {
    say(
      `no sessions in these places: pass ${takesFolder ? 'a folder, or a file to agentfold show' : 'another --home'}`,
    )
    for (const line of await placeLines(terminal)) terminal.writeError(`  ${line}\n`)
  }
}

async function placeLines({
  home,
  ownHome,
  columns = DEFAULT_COLUMNS,
}: Terminal): Promise<readonly string[]> {
  const { wrapFacts } = await import('../terminal/wrap.ts')
  const own = home === ownHome ? environmentOf(home).home : undefined
  const short = (path: string) =>
    own !== undefined && path.startsWith(own + sep) ? `~${path.slice(own.length)}` : path
  return wrapFacts(
    sessionPlaces(home).map((path) => oneLine(short(path))),
    columns - 2,
  )
}
