import { asString, isObject } from '../../../json/values.ts'
import type { CombinedTranscript, SubagentTranscript } from '../../combined.ts'
import { type Entry, entriesOfLines, unwrapCombined } from '../../entries.ts'
import type { FilePart } from '../../format.ts'
import { fileValue } from '../../jsonl.ts'
import { compareStrings } from '../../translation/order.ts'
import { threadIdOfName } from './rollout-file.ts'

/** Returns the messages of an input. Joins several rollouts in the order of their lines' time. */
export function codexEntries(raw: string | CombinedTranscript): Iterable<Entry> {
  const input = unwrapCombined(raw)
  return typeof input === 'string' ? entriesOfText(input) : entriesOfCombined(input)
}

/** Returns the messages of a text: one a line, or a JSON list. */
function entriesOfText(raw: string): Iterable<Entry> {
  const list = /^\s*\[/.test(raw) ? fileValue(raw) : undefined
  return Array.isArray(list) && list.length > 0
    ? list.map((message: unknown, at) => ({ line: at + 1, message }))
    : entriesOfLines(raw)
}

function entriesOfCombined({ main, subagents }: CombinedTranscript): Iterable<Entry> {
  if (subagents.length === 0) return entriesOfText(main)
  const transcripts = [[...entriesOfText(main)], ...subagents.map(entriesOfAgent)]
  return transcripts
    .flatMap(withTimes)
    .sort((left, right) => compareStrings(left.time, right.time))
    .map(({ entry }) => entry)
}

function entriesOfAgent({ id, transcript }: SubagentTranscript): readonly Entry[] {
  return Array.from(entriesOfText(transcript), (entry) => entryOfThread(id, entry))
}

/** A line does not name its thread. Those of an agent get the name. */
function entryOfThread(id: string, entry: Entry): Entry {
  if (!('message' in entry) || !isObject(entry.message)) return { ...entry, transcript: id }
  return { ...entry, message: { ...entry.message, thread_id: id }, transcript: id }
}

/** Returns the part of a session that a rollout holds: main's lines if it is the session's own file, else those of an agent. */
export function codexFilePart(path: string, sessionPath?: string): FilePart {
  const id = path === sessionPath ? undefined : threadIdOfName(path)
  if (id === undefined) return { isFacts: false, complete: (entry) => entry }
  return { agentId: id, isFacts: false, complete: (entry) => entryOfThread(id, entry) }
}

interface TimedEntry {
  readonly entry: Entry
  readonly time: string
}

/** Lines keep their order within a rollout: a line with an earlier time takes that of the line before. */
function withTimes(entries: readonly Entry[]): readonly TimedEntry[] {
  let time = entries.map(timeOf).find((first) => first !== '') ?? ''
  return entries.map((entry) => {
    const own = timeOf(entry)
    if (own > time) time = own
    return { entry, time }
  })
}

/** Returns the time of a line; empty if it has none. */
export function timeOf(entry: Entry): string {
  return 'message' in entry && isObject(entry.message) ? (asString(entry.message.timestamp) ?? '') : ''
}
