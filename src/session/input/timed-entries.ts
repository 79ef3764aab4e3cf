import { compareStrings } from '../../json/compare-strings.ts'
import { asString, isObject } from '../../json/values.ts'
import { type Entry, entriesOfLines } from './entries.ts'
import { fileValue } from './jsonl.ts'

/** Returns the messages of a text: one a line, or a JSON list, into which programs collect a stream's messages. */
export function entriesOfText(raw: string): Iterable<Entry> {
  const list = /^\s*\[/.test(raw) ? fileValue(raw) : undefined
  return Array.isArray(list) && list.length > 0
    ? list.map((message: unknown, at) => ({ line: at + 1, message }))
    : entriesOfLines(raw)
}

/** Joins the entries of several transcripts in the order of their times. */
export function joinByTime(transcripts: readonly (readonly Entry[])[]): readonly Entry[] {
  return transcripts
    .flatMap(withTimes)
    .sort((left, right) => compareStrings(left.time, right.time))
    .map(({ entry }) => entry)
}

interface TimedEntry {
  readonly entry: Entry
  readonly time: string
}

/** Lines keep their order within a transcript: a line without a time, or with an earlier one, takes its neighbour's time. */
function withTimes(entries: readonly Entry[]): readonly TimedEntry[] {
  let time = entries.map(timeOf).find((first) => first !== '') ?? ''
  return entries.map((entry) => {
    const own = timeOf(entry)
    if (own > time) time = own
    return { entry, time }
  })
}

/** Returns the time of a message; empty if it has none. */
export function timeOf(entry: Entry): string {
  return 'message' in entry && isObject(entry.message) ? (asString(entry.message.timestamp) ?? '') : ''
}
