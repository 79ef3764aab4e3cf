import { timeInMs } from '../../core/json/order.ts'
import type { ListEntry } from './listing.ts'

/** What the person asks for. Empty texts ask for everything. */
export interface ListFilter {
  /** Words in the title, the folder, the program or the model. */
  readonly text: string
  readonly program: string
  /** The folder where the session ran. */
  readonly cwd: string
  /** An age in days. */
  readonly since: string
  readonly failed: boolean
}

export const NO_FILTER: ListFilter = { text: '', program: '', cwd: '', since: '', failed: false }

const DAY_MS = 86_400_000

/** Returns the entries that match. `now` is in ms since the epoch. */
export function matchingEntries(
  entries: readonly ListEntry[],
  filter: ListFilter,
  now: number,
): readonly ListEntry[] {
  const { program, cwd, since, failed } = filter
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean)
  const oldest = since === '' ? Number.NEGATIVE_INFINITY : now - Number(since) * DAY_MS
  return entries.filter((entry) => {
    if (program !== '' && entry.program !== program) return false
    if (cwd !== '' && !isWithin(entry.cwd, cwd)) return false
    if (failed && entry.status !== 'failed') return false
    if (since !== '' && !(timeInMs(entry.updatedAt) >= oldest)) return false
    if (words.length === 0) return true
    const text = [entry.title, entry.cwd, entry.program, entry.model].join('\n').toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

function isWithin(cwd: string | undefined, folder: string): boolean {
  return cwd === folder || (cwd?.startsWith(`${folder}/`) ?? false)
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
  return {
    ...{ text: textOf('text'), program: textOf('program'), cwd: textOf('cwd'), since: textOf('since') },
    failed: given.has('failed'),
  }
}

/** Returns the query of an address with the filter. */
export function queryOf({ failed, ...texts }: ListFilter): string {
  const given = Object.entries(texts).filter(([, value]) => value !== '')
  const query = new URLSearchParams(
    [...given, ...(failed ? [['failed', '']] : [])].map(([a = '', b = '']) => [a, b]),
  )
  return query.size === 0 ? '' : `?${query}`
}
