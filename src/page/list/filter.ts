import type { SessionStatus } from '../../core/selectors/status.ts'
import { type ListEntry, timeOf } from './entry.ts'

/** The need or the state of a session. */
export type StatusGroup = 'waiting' | 'failed' | 'running' | 'done'

/** The groups in the order of the page, with their names. */
export const STATUS_GROUPS: readonly (readonly [StatusGroup, string])[] = [
  ['waiting', 'Needs you'],
  ['failed', 'Failed'],
  ['running', 'Running'],
  ['done', 'Done'],
]

const GROUPS: Readonly<Record<SessionStatus, StatusGroup>> = {
  ...{ waiting: 'waiting', failed: 'failed', running: 'running', background: 'running' },
  ...{ finished: 'done', interrupted: 'done', idle: 'done' },
}

/** Returns the group of a session. Undefined while its status is not known. */
export function statusGroupOf({ status }: ListEntry): StatusGroup | undefined {
  return status && GROUPS[status]
}

/** The choice of the person. Empty texts ask for everything. */
export interface ListFilter {
  /** Words in the title, the folder, the program or the model. */
  readonly filter: string
  /** A text that is searched in all texts of all sessions. */
  readonly search: string
  readonly status: StatusGroup | ''
  readonly program: string
  /** The folder where the session ran. */
  readonly cwd: string
  /** An age in days, or a day such as `2026-01-31`. */
  readonly since: string
  /** The id of a session: each row leads to the comparison with it. */
  readonly with: string
}

export const NO_FILTER: ListFilter = {
  ...{ filter: '', search: '', status: '', program: '', cwd: '', since: '', with: '' },
}

const DAY_MS = 86_400_000

/** Returns the entries that match all but the search. `now` is in ms since the epoch. */
export function matchingEntries(
  entries: readonly ListEntry[],
  { filter, status, program, cwd, since }: Omit<ListFilter, 'search' | 'with'>,
  now: number,
): readonly ListEntry[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean)
  const isDay = since.includes('-')
  const oldest = since === '' || isDay ? Number.NEGATIVE_INFINITY : now - Number(since) * DAY_MS
  return entries.filter((entry) => {
    if (program !== '' && entry.program !== program) return false
    if (cwd !== '' && !isWithin(entry.cwd, cwd)) return false
    if (status !== '' && statusGroupOf(entry) !== status) return false
    if (since !== '' && !(isDay ? isOnDay(entry, since) : timeOf(entry) >= oldest)) return false
    if (words.length === 0) return true
    const text = [entry.title, entry.cwd, entry.program, entry.model].join('\n').toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

function isWithin(cwd: string | undefined, folder: string): boolean {
  return cwd === folder || (cwd?.startsWith(`${folder}/`) ?? false)
}

/** A long session is of each day from its start to its end. Days are in UTC, as in the statistics. */
function isOnDay({ startedAt, updatedAt, lastAt = updatedAt }: ListEntry, day: string): boolean {
  return (startedAt ?? lastAt ?? '').slice(0, 10) <= day && day <= (lastAt ?? '').slice(0, 10)
}

/** Returns the values of a field with the number of sessions, the most frequent first. */
export function choicesOf(
  entries: readonly ListEntry[],
  field: 'program' | 'cwd',
): readonly (readonly [value: string, count: number])[] {
  const counts = new Map<string, number>()
  for (const { [field]: value } of entries)
    if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].sort(([left, many], [right, more]) => more - many || (left < right ? -1 : 1))
}

/** Returns the filter in the address, so that Back and a reload show the same sessions. */
export function filterIn(query: string): ListFilter {
  const given = new URLSearchParams(query)
  const textOf = (name: string) => given.get(name) ?? ''
  const wanted = textOf('status')
  const [status = ''] = STATUS_GROUPS.flatMap(([group]) => (group === wanted ? [group] : []))
  return {
    ...{ filter: textOf('filter'), search: textOf('search'), status },
    ...{ program: textOf('program'), cwd: textOf('cwd'), since: textOf('since') },
    with: textOf('with'),
  }
}

/** Returns the query of an address with the filter. */
export function queryOf(filter: ListFilter): string {
  const given = Object.entries(filter).filter(([, value]) => value !== '')
  const query = new URLSearchParams(given.map(([name, value]) => [name, value]))
  return query.size === 0 ? '' : `?${query}`
}
