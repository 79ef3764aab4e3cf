import { asString, isObject } from '../../../json/values.ts'
import type { CombinedTranscript, SubagentTranscript } from '../../combined.ts'
import { type Entry, entriesOfLines, unwrapCombined } from '../../entries.ts'
import { fileValue } from '../../jsonl.ts'
import { compareStrings } from '../../translation/order.ts'

/** Returns the messages of an input. Joins several transcripts in the order of their messages' time. */
export function claudeEntries(raw: string | CombinedTranscript): Iterable<Entry> {
  const input = unwrapCombined(raw)
  return typeof input === 'string' ? entriesOfText(input) : entriesOfCombined(input)
}

/** Returns the messages of a text: one a line, or a JSON list, into which programs of the SDK collect a stream's messages. */
function entriesOfText(raw: string): Iterable<Entry> {
  const list = /^\s*\[/.test(raw) ? fileValue(raw) : undefined
  return Array.isArray(list) && list.length > 0
    ? list.map((message: unknown, at) => ({ line: at + 1, message }))
    : entriesOfLines(raw)
}

function entriesOfCombined({ main, subagents }: CombinedTranscript): readonly Entry[] {
  const transcripts = [[...entriesOfText(main)], ...subagents.map(entriesOfSubagent)]
  return transcripts
    .flatMap(withTimes)
    .sort((left, right) => compareStrings(left.time, right.time))
    .map(({ entry }) => entry)
}

/** A subagent's lines name their agent. A line without that name belongs to the transcript's agent. */
function entriesOfSubagent({ id, transcript, meta }: SubagentTranscript): readonly Entry[] {
  const lines = [...entriesOfLines(transcript)].map((entry) => ({
    ...entry,
    ...withAgentId(id, entry),
    transcript: id,
  }))
  return meta === undefined ? lines : [metaEntry(id, fileValue(meta)), ...lines]
}

/** The agent's meta file becomes line 0, before the agent's first line. */
function metaEntry(agentId: string, meta: unknown): Entry {
  const place = { line: 0, transcript: agentId }
  if (meta === undefined) return { ...place, issue: { code: 'malformed-line', count: 1 } }
  return { ...place, message: { type: 'agent_meta', agentId, meta } }
}

function withAgentId(id: string, entry: Entry): object {
  if (!('message' in entry) || !isObject(entry.message) || asString(entry.message.agentId) !== undefined)
    return {}
  return { message: { ...entry.message, agentId: id } }
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

function timeOf(entry: Entry): string {
  return 'message' in entry && isObject(entry.message) ? (asString(entry.message.timestamp) ?? '') : ''
}
