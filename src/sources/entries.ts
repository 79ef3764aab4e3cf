import { isObject, text } from '../state/json.ts'
import type { CombinedTranscript, SubagentTranscript } from './combined.ts'
import { decodeLines, endLines, initialLines, parseJson } from './jsonl.ts'
import type { SourceIssue } from './source.ts'

/** A message of an input or what was wrong in its place; `line` is counted from 1, 0 is what was noted beside the file. */
export type Entry =
  | { readonly line: number; readonly transcript?: string; readonly message: unknown }
  | { readonly line: number; readonly transcript?: string; readonly issue: SourceIssue }

/** Makes a combined transcript say which call each subagent belongs to, as far as the program's files tell. */
export type Link = (combined: CombinedTranscript) => CombinedTranscript

/** Returns the messages of an input. Several transcripts are joined in the order of their messages' time. */
export function entriesOf(raw: string | CombinedTranscript, link: Link): readonly Entry[] {
  const combined = typeof raw === 'string' ? combinedIn(raw) : raw
  if (isCombined(combined)) return entriesOfCombined(link(combined))
  if (typeof raw === 'string') return entriesOfText(raw)
  throw new TypeError('pass the transcript as text, or as { main, subagents }')
}

/** A combined transcript as JSON is one object, on one line or on many. */
function combinedIn(raw: string): CombinedTranscript | undefined {
  const lineEnd = raw.indexOf('\n')
  const value = parseJson(lineEnd < 0 ? raw : raw.slice(0, lineEnd)) ?? parseJson(raw)
  return isCombined(value) ? value : undefined
}

function isCombined(value: unknown): value is CombinedTranscript {
  return (
    isObject(value) &&
    typeof value.main === 'string' &&
    Array.isArray(value.subagents) &&
    value.subagents.every(isPart)
  )
}

function isPart(value: unknown): value is SubagentTranscript {
  if (!isObject(value) || typeof value.id !== 'string' || typeof value.transcript !== 'string') return false
  return value.meta === undefined || typeof value.meta === 'string'
}

function entriesOfText(raw: string): readonly Entry[] {
  const { memory, ...read } = decodeLines(initialLines, raw)
  const last = endLines(memory)
  const issues = [...read.issues, ...last.issues].map((issue) => ({ line: issue.line ?? 0, issue }))
  if (issues.length === 0) return [...read.lines, ...last.lines]
  return [...read.lines, ...last.lines, ...issues].sort((left, right) => left.line - right.line)
}

function entriesOfCombined({ main, subagents }: CombinedTranscript): readonly Entry[] {
  const transcripts = [entriesOfText(main), ...subagents.map(entriesOfSubagent)]
  return transcripts
    .flatMap(timed)
    .sort(byTime)
    .map(({ entry }) => entry)
}

/** A subagent's lines say whose they are, and where they do not, the transcript's id does. */
function entriesOfSubagent({ id, transcript, meta }: SubagentTranscript): readonly Entry[] {
  const lines = entriesOfText(transcript).map((entry) => ({
    ...entry,
    ...ofAgent(id, entry),
    transcript: id,
  }))
  return meta === undefined ? lines : [metaEntry(id, parseJson(meta)), ...lines]
}

/** What the program notes about an agent stands before the agent's first line, as line 0. */
function metaEntry(agentId: string, meta: unknown): Entry {
  const place = { line: 0, transcript: agentId }
  if (meta === undefined) return { ...place, issue: { code: 'malformed-line', count: 1 } }
  return { ...place, message: { type: 'agent_meta', agentId, meta } }
}

function ofAgent(id: string, entry: Entry): object {
  if (!('message' in entry) || !isObject(entry.message) || text(entry.message.agentId) !== undefined)
    return {}
  return { message: { ...entry.message, agentId: id } }
}

interface Timed {
  readonly entry: Entry
  readonly time: string
}

/** Lines keep their order within a transcript, so one without a time, or with an earlier one, has that of its neighbour. */
function timed(entries: readonly Entry[]): readonly Timed[] {
  let time = entries.map(timeOf).find((first) => first !== '') ?? ''
  return entries.map((entry) => {
    const own = timeOf(entry)
    if (own > time) time = own
    return { entry, time }
  })
}

function timeOf(entry: Entry): string {
  return 'message' in entry && isObject(entry.message) ? (text(entry.message.timestamp) ?? '') : ''
}

/** ISO 8601 in UTC sorts as text. */
function byTime(left: Timed, right: Timed): number {
  if (left.time === right.time) return 0
  return left.time < right.time ? -1 : 1
}
