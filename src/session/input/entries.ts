import { isObject, type JsonObject } from '../../json/values.ts'
import { withChanges } from '../../json/with-changes.ts'
import type { SourceIssue } from '../source.ts'
import type { CombinedTranscript, SubagentTranscript } from './combined.ts'
import { type DecodedLines, decodeLines, endLines, fileValue, firstValue, initialLines } from './jsonl.ts'

/** A message of an input, or the issue of a broken line. `line` counts from 1. 0 marks facts from a file beside the transcript. */
export type Entry =
  | { readonly line: number; readonly transcript?: string; readonly message: unknown }
  | { readonly line: number; readonly transcript?: string; readonly issue: SourceIssue }

/**
 * Returns a combined transcript from an object or its JSON, and any other text unchanged. Throws a `TypeError` for another kind of input.
 */
export function unwrapCombined(raw: string | CombinedTranscript): string | CombinedTranscript {
  if (typeof raw === 'string') return parseCombined(raw) ?? raw
  if (isCombined(raw)) return raw
  throw new TypeError('pass the transcript as text, or as { main, subagents }')
}

/** The JSON of a combined transcript is one object, on one line or on many. */
function parseCombined(raw: string): CombinedTranscript | undefined {
  const value = firstValue(raw) ?? fileValue(raw)
  return isCombined(value) ? value : undefined
}

/** Whether the value is a combined transcript. */
export function isCombined(value: unknown): value is CombinedTranscript {
  return (
    isObject(value) &&
    typeof value.main === 'string' &&
    Array.isArray(value.subagents) &&
    value.subagents.every(isSubagentTranscript)
  )
}

function isSubagentTranscript(value: unknown): value is SubagentTranscript {
  if (!isObject(value) || typeof value.id !== 'string' || typeof value.transcript !== 'string') return false
  return value.meta === undefined || typeof value.meta === 'string'
}

/** Returns the messages of newline-delimited JSON and the issues of broken lines, in order. */
export function* entriesOfLines(raw: string): Generator<Entry, void> {
  let memory = initialLines
  for (let from = 0; from < raw.length; ) {
    const end = raw.indexOf('\n', from + PORTION)
    const to = end < 0 ? raw.length : end + 1
    const decoded = decodeLines(memory, raw.slice(from, to))
    memory = decoded.memory
    from = to
    yield* decodedEntries(decoded)
  }
  yield* decodedEntries(endLines(memory))
}

/** In UTF-16 units. A portion ends with its last line. Its messages can be freed before the next portion is parsed. */
const PORTION = 65_536

/** Returns the entry of a further transcript, for example that of an agent. The facts are added to its message. */
export function entryOfTranscript(transcript: string, entry: Entry, facts?: JsonObject): Entry {
  if (!facts || !('message' in entry) || !isObject(entry.message)) return withChanges(entry, { transcript })
  return { line: entry.line, message: withChanges(entry.message, facts), transcript }
}

/** Returns the entry of a file that is one value. An undefined value is a broken line. */
export function factsEntry(value: unknown): Entry {
  return value === undefined
    ? { line: 0, issue: { code: 'malformed-line', count: 1 } }
    : { line: 0, message: value }
}

/** Returns the decoded messages and the issues, in the order of their lines. */
export function decodedEntries({ lines, issues }: Pick<DecodedLines, 'lines' | 'issues'>): readonly Entry[] {
  if (issues.length === 0) return lines
  const brokenLines = issues.map((issue) => ({ line: issue.line ?? 0, issue }))
  return [...lines, ...brokenLines].sort((left, right) => left.line - right.line)
}
