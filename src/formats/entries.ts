import { isObject } from '../json/values.ts'
import type { CombinedTranscript, SubagentTranscript } from './combined.ts'
import { type DecodedLines, decodeLines, endLines, fileValue, firstValue, initialLines } from './jsonl.ts'
import type { SourceIssue } from './source.ts'

/** A message of an input or what was wrong in its place; `line` is counted from 1, 0 is what was noted beside the file. */
export type Entry =
  | { readonly line: number; readonly transcript?: string; readonly message: unknown }
  | { readonly line: number; readonly transcript?: string; readonly issue: SourceIssue }

/** Returns the input as it was combined, from an object or its JSON; text that is one transcript alone as it is. */
export function unwrapCombined(raw: string | CombinedTranscript): string | CombinedTranscript {
  if (typeof raw === 'string') return combinedIn(raw) ?? raw
  if (isCombined(raw)) return raw
  throw new TypeError('pass the transcript as text, or as { main, subagents }')
}

/** A combined transcript as JSON is one object, on one line or on many. */
function combinedIn(raw: string): CombinedTranscript | undefined {
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

/** The messages of newline-delimited JSON, and what was wrong with other lines, in their order. */
export function* entriesOfLines(raw: string): Generator<Entry, void> {
  let memory = initialLines
  for (let from = 0; from < raw.length; from += PORTION) {
    const decoded = decodeLines(memory, raw.slice(from, from + PORTION))
    memory = decoded.memory
    yield* decodedEntries(decoded)
  }
  yield* decodedEntries(endLines(memory))
}

/** In UTF-16 units: read portion by portion, what has been translated is gone before the next one is parsed. */
const PORTION = 65_536

/** What was decoded, in the order of the lines. */
export function decodedEntries({ lines, issues }: Pick<DecodedLines, 'lines' | 'issues'>): readonly Entry[] {
  if (issues.length === 0) return lines
  const broken = issues.map((issue) => ({ line: issue.line ?? 0, issue }))
  return [...lines, ...broken].sort((left, right) => left.line - right.line)
}
