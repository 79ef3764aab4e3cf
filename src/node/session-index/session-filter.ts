import { readFileSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { timeInMs } from '../../core/json/lists.ts'
import type { SessionStatus } from '../../core/selectors/status.ts'
import { allPrograms, programCalled } from '../../programs/all.ts'
import type { SessionSummary } from '../list/session-summary.ts'

/**
 * A time: an age such as `12h` or `7d`, an ISO 8601 time, a date, or ms since the epoch. Another value is a `TypeError`
 * with the code `invalid-time`.
 */
export type TimeLike = string | number | Date

const UNITS: ReadonlyMap<string, number> = new Map([
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
  ['w', 604_800_000],
])

/** Returns a time in ms since the epoch. Undefined if the value is no time, or not within the years of four digits. */
export function timeOf(time: TimeLike, now: number): number | undefined {
  const found = time instanceof Date ? time.getTime() : typeof time === 'string' ? textTime(time, now) : time
  return typeof found === 'number' && found >= FIRST_MS && found <= LAST_MS ? found : undefined
}

/** Programs may pass ms since the epoch. A text of digits is no time: it may be a number of days, or a year. */
function textTime(text: string, now: number): number {
  const [, count, unit = ''] = /^(\d+)([mhdw])$/.exec(text) ?? []
  const size = UNITS.get(unit)
  if (size !== undefined) return now - Number(count) * size
  // `Date.parse` reads a date into almost any text, and takes a day that no month has for one of the next month.
  const [, day, clock = '00:00'] = ISO_TIME.exec(text) ?? []
  const midnight = timeInMs(`${day}T00:00`)
  const isDay = midnight >= FIRST_MS && new Date(midnight).toISOString().slice(0, 10) === day
  return isDay ? timeInMs(`${day}T${clock}`) : Number.NaN
}

/** A date, or a date and a time. */
const ISO_TIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?))?$/

const FIRST_MS = Date.parse('0000-01-01T00:00:00Z')
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z')

/** Returns a time, or throws a `TypeError` with the code `invalid-time` that names the option. */
export function requiredTime(time: TimeLike, now: number, option: string): number {
  const found = timeOf(time, now)
  if (found !== undefined) return found
  const message = `${option}: pass an age such as 7d, an ISO 8601 time, or a Date`
  throw Object.assign(new TypeError(message), { code: 'invalid-time' as const })
}

/** Returns the first and the last day of a query in UTC, such as `2026-01-31`. Midnight ends the day before. */
export function daysOf(
  { since, until }: Pick<SessionQuery, 'since' | 'until'>,
  now: number,
): { readonly sinceDay?: string; readonly untilDay?: string } {
  const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)
  return {
    ...(since !== undefined && { sinceDay: dayOf(requiredTime(since, now, 'since')) }),
    ...(until !== undefined && { untilDay: dayOf(requiredTime(until, now, 'until') - 1) }),
  }
}

/** Which sessions to return. Each field leaves fewer of them. */
export interface SessionQuery {
  /** A name of the program, or of the format. */
  readonly program?: string | undefined
  /** The folder where the session ran, or one above it. A worktree belongs to its repository. */
  readonly cwd?: string | undefined
  /** The session has changed since. */
  readonly since?: TimeLike | undefined
  /** The session has last changed before. */
  readonly until?: TimeLike | undefined
  readonly status?: SessionStatus | undefined
}

/** The facts of a session that a query asks for. */
type QueriedSession = Pick<SessionSummary, 'program' | 'format' | 'cwd' | 'startedIn' | 'updatedAt'>

/** Returns a function that says whether a session matches all of a query but its status. */
export function queryFilter(
  { program, cwd, since, until }: SessionQuery,
  now: number,
  isInFolder: (folder: string) => FolderFilter = folderFilter,
): (session: QueriedSession) => boolean {
  const from = since === undefined ? Number.NEGATIVE_INFINITY : requiredTime(since, now, 'since')
  const to = until === undefined ? Number.POSITIVE_INFINITY : requiredTime(until, now, 'until')
  const ranIn = cwd === undefined ? undefined : isInFolder(cwd)
  return (session) => {
    const at = timeInMs(session.updatedAt)
    return (
      !(at < from) &&
      !(at >= to) &&
      (program === undefined || isOfProgram(session, program)) &&
      (ranIn?.(session) ?? true)
    )
  }
}

/** Several programs may share a format. A session that names no program is of the first one. */
function isOfProgram({ program, format }: QueriedSession, name: string): boolean {
  const wanted = programCalled(name)
  const own =
    program === undefined ? allPrograms().find(({ wire }) => wire === format) : programCalled(program)
  if (wanted) return own === wanted
  return [program, format].some((each) => each?.toLowerCase() === name.toLowerCase())
}

/** The folder in which a session ran. */
export interface SessionFolders extends Pick<QueriedSession, 'cwd' | 'startedIn'> {
  /** The folders in a repository that stand for those in its worktrees. Only the machine of the session knows them. */
  readonly inRepository?: readonly string[]
}

/** Says whether a session ran in a folder. */
export type FolderFilter = (session: SessionFolders) => boolean

/** Returns a function that says whether a session ran in the folder, below it, or in a worktree of that place. */
export function folderFilter(folder: string): FolderFilter {
  const wanted = resolve(folder)
  const known = new Map<string, boolean>()
  const isWanted = (cwd: string): boolean => {
    const found = known.get(cwd) ?? (isWithin(cwd, wanted) || isWithin(placeInRepository(cwd), wanted))
    known.set(cwd, found)
    return found
  }
  return ({ cwd, startedIn }) => [cwd, startedIn].some((each) => each !== undefined && isWanted(each))
}

function isWithin(cwd: string | undefined, folder: string): boolean {
  return cwd !== undefined && `${cwd}${sep}`.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`)
}

/** Returns the folder in the repository that stands for a folder in a worktree. Undefined for any other folder. */
export function placeInRepository(cwd: string): string | undefined {
  if (!isAbsolute(cwd) || cwd.length > MAX_PATH) return undefined
  for (let folder = cwd; ; folder = dirname(folder)) {
    const git = join(folder, '.git')
    const repository = /^gitdir: (.+?)[\\/]\.git[\\/]worktrees[\\/][^\\/]+\s*$/.exec(smallText(git))?.[1]
    if (repository !== undefined) return join(resolve(folder, repository), relative(folder, cwd))
    if (folder === dirname(folder)) return undefined
  }
}

/** Returns the text of a small file; nothing for a folder or an unreadable file. The path is of a session, so it may be any text. */
function smallText(path: string): string {
  try {
    const stats = statSync(path, { throwIfNoEntry: false })
    return stats?.isFile() && stats.size < MAX_SIZE ? readFileSync(path, 'utf8') : ''
  } catch {
    return ''
  }
}

/** In bytes. */
const MAX_SIZE = 4_096

/** Linux opens no longer path, and macOS and Windows seldom. */
const MAX_PATH = 4_096

/** The files that an update has looked at: nothing, the sessions' own files, or all files. */
export type UpdateLevel = 'nothing' | 'list' | 'all'

/** A status depends on the agents of a session, and no other part of a query does. */
export function levelOf({ status }: SessionQuery): Exclude<UpdateLevel, 'nothing'> {
  return status === undefined ? 'list' : 'all'
}
