import { fileValue } from '../../reading/input/jsonl.ts'
import { type TimeRules, timeOf } from '../../reading/input/transcript-order.ts'
import { openContent, readTail } from '../files/read-piece.ts'

/** In bytes. Most last lines are shorter. */
const TAIL_SIZE = 2 ** 13

/** Returns the last time that the last lines of a file state. Undefined if they state none. */
export async function lastTimeOf(path: string, rules: TimeRules): Promise<string | undefined> {
  // The first line may be cut, and is then no JSON.
  for (const line of (await readTail(await openContent(path), TAIL_SIZE)).split('\n').reverse()) {
    const message = line.trim() === '' ? undefined : fileValue(line)
    if (message === undefined) continue
    const time = utcTime(timeOf({ line: 0, message }, rules))
    if (time !== undefined) return time
  }
  return undefined
}

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/

const NANOSECONDS = '2026-01-01T00:00:00.000000000Z'.length

/** Returns an ISO 8601 time in UTC. Undefined for any other text. */
export function utcTime(text: string | undefined): string | undefined {
  if (text === undefined || !ISO.test(text)) return undefined
  const ms = Date.parse(text)
  if (Number.isNaN(ms)) return undefined
  // Digits below those of a nanosecond only order messages.
  return text.endsWith('Z') && text.length <= NANOSECONDS ? text : new Date(ms).toISOString()
}
