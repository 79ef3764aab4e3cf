import type { ListedSession } from '../../cli/serve/machine/listed-session.ts'
import { timeInMs } from '../../core/json/lists.ts'

/** A session of the list. Its status is absent until the server has read the session, or if it cannot. */
export type ListEntry = ListedSession

/** Returns the last time in the session or in its agents, in ms since the epoch. NaN if it is not known. */
export function timeOf({ updatedAt, lastAt }: ListEntry): number {
  const [updated, last] = [timeInMs(updatedAt), timeInMs(lastAt)]
  return last > updated || Number.isNaN(updated) ? last : updated
}

/** Returns the time from the first to the last message of any conversation, in ms. */
export function durationOf(entry: ListEntry): number {
  return timeOf(entry) - timeInMs(entry.startedAt)
}
