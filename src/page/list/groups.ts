import { timeInMs } from '../../core/json/lists.ts'
import { type ListEntry, timeOf } from './entry.ts'
import { type StatusGroup, statusGroupOf } from './filter.ts'

/** A part of the list with its heading. */
export interface ListGroup {
  readonly id: string
  readonly title: string
  readonly entries: readonly ListEntry[]
  /** Whether its rows have a line of news. */
  readonly hasNews: boolean
  /** Whether the person can say that they have seen its sessions. */
  readonly isUnseen: boolean
}

interface GroupOptions {
  /** In ms since the epoch. */
  readonly now: number
  /** Whether the person has looked at what the session says. */
  readonly isSeen: (entry: ListEntry) => boolean
}

const DAY_MS = 86_400_000

/** A session asks for the person so long. */
const MAX_NEWS_MS = 7 * DAY_MS

/** Returns the sessions in groups: first what is for the person, and then by day. Empty groups are left out. */
export function groupsOf(entries: readonly ListEntry[], { now, isSeen }: GroupOptions): readonly ListGroup[] {
  const news: Readonly<Record<StatusGroup, ListEntry[]>> = { waiting: [], failed: [], running: [], done: [] }
  const days = new Map<string, ListEntry[]>()
  const titleOf = dayTitles(now)
  for (const entry of entries) {
    const group = newsGroupOf(entry, { now, isSeen })
    if (group) news[group].push(entry)
    else {
      const title = titleOf(timeOf(entry))
      const day = days.get(title)
      if (day) day.push(entry)
      else days.set(title, [entry])
    }
  }
  // Rows that run would change places all the time.
  news.running.sort((left, right) => timeInMs(right.startedAt) - timeInMs(left.startedAt))
  const groups = NEWS_GROUPS.map(([id, title, isUnseen]) => ({
    ...{ id, title, entries: news[id], hasNews: true, isUnseen },
  }))
  const byDay = [...days].map(([title, ofDay]) => ({
    ...{ id: title, title, entries: ofDay, hasNews: false, isUnseen: false },
  }))
  return [...groups, ...byDay].filter((group) => group.entries.length > 0)
}

const NEWS_GROUPS: readonly (readonly [StatusGroup, string, isUnseen: boolean])[] = [
  ['waiting', 'Needs you', false],
  ['failed', 'Failed', true],
  ['running', 'Running', false],
  ['done', 'Done since you looked', true],
]

function newsGroupOf(entry: ListEntry, { now, isSeen }: GroupOptions): StatusGroup | undefined {
  const group = statusGroupOf(entry)
  if (group === 'running') return group
  if (!(now - timeOf(entry) < MAX_NEWS_MS)) return undefined
  return group === 'waiting' || !isSeen(entry) ? group : undefined
}

/** Whether a session waits for the person. Nobody may come back to one that waits for a week. */
export function needsPerson(entry: ListEntry, now: number): boolean {
  return statusGroupOf(entry) === 'waiting' && now - timeOf(entry) < MAX_NEWS_MS
}

const WEEKDAY = new Intl.DateTimeFormat('en', { weekday: 'long', day: 'numeric', month: 'long' })
const MONTH = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric' })

/** Returns a function that names the day of a time, or the month of one that is longer ago. */
function dayTitles(now: number): (time: number) => string {
  const today = startOfDay(now)
  // A day may have 23 or 25 hours.
  const [yesterday, week] = [startOfDay(today - DAY_MS / 2), startOfDay(today - 6 * DAY_MS)]
  return (time) => {
    if (Number.isNaN(time)) return 'Without a time'
    if (time >= today) return 'Today'
    if (time >= yesterday) return 'Yesterday'
    return time >= week ? WEEKDAY.format(time) : MONTH.format(time)
  }
}

function startOfDay(time: number): number {
  return new Date(time).setHours(0, 0, 0, 0)
}
