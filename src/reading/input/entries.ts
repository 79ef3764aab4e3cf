import { parseJson } from '../../core/json/values.ts'
import type { SourceIssue } from '../issue.ts'
import { type DecodedLines, decodeLines, endLines, initialLines, type LineMemory } from './jsonl.ts'

/** A message of an input, or the issue of a broken line. `line` counts from 1. 0 marks facts from a file beside the transcript. */
export type Entry =
  | { readonly line: number; readonly transcript?: string; readonly message: unknown }
  | BrokenEntry

/** The issue of a broken line. `isCut`: the input ends within the line, so it may still become whole. */
interface BrokenEntry {
  readonly line: number
  readonly transcript?: string
  readonly issue: SourceIssue
  readonly isCut?: true
}

/** The content of a transcript: a text with a message per line, or one value. */
export type Content =
  | { readonly lines: string; readonly beginning?: TextPortion }
  | { readonly value: unknown }

/** Parses a text that is one JSON value, on one line or on many. Any other text stays as it is: its lines are parsed one by one. */
export function contentOf(text: string): Content {
  const json = text.trim()
  if (!/^[[{]/.test(json)) return { lines: text }
  const end = json.indexOf('\n')
  // A first line that is whole JSON is one message of many.
  const value = end < 0 || parseJson(json.slice(0, end)) === undefined ? parseJson(json) : undefined
  return value === undefined ? { lines: text } : { value }
}

/** The entries of a part of a text, and where the next part begins. */
interface TextPortion {
  readonly entries: readonly Entry[]
  readonly memory: LineMemory
  readonly end: number
}

const START: TextPortion = { entries: [], memory: initialLines, end: 0 }

/** Returns the next lines of a text: at least so many UTF-16 units, if there are as many. */
function portionAfter({ memory, end: from }: TextPortion, raw: string, size: number): TextPortion {
  const newline = raw.indexOf('\n', from + size)
  const end = newline < 0 ? raw.length : newline + 1
  const decoded = decodeLines(memory, raw.slice(from, end))
  return { entries: decodedEntries(decoded), memory: decoded.memory, end }
}

/** Decodes the beginning of a text, so that detection and reading need not decode it each. */
export function withBeginning(content: Content): Content {
  return 'lines' in content ? { ...content, beginning: portionAfter(START, content.lines, PORTION) } : content
}

/** Returns the messages of newline-delimited JSON and the issues of broken lines, in order. */
export function* entriesOfLines(raw: string, beginning: TextPortion = START): Generator<Entry, void> {
  let portion = beginning
  yield* portion.entries
  for (let size = portion.end; portion.end < raw.length; size = 2 * size + FEW) {
    portion = portionAfter(portion, raw, Math.min(PORTION, size))
    yield* portion.entries
  }
  yield* lastEntries(portion.memory)
}

/** In UTF-16 units. A portion ends with its last line. Its messages can be freed before the next portion is parsed. */
const PORTION = 65_536

/** The first portion is one line, and the next ones grow: whoever asks for the first entries alone decodes no others. */
const FEW = 1_024

/**
 * Returns the entries in portions of that size. The last one has the rest, and may be empty. An entry is made when it
 * is asked for, so that it can be freed before the next one: read each portion to its end.
 */
export function* portionsOf(entries: Iterable<Entry>, size: number): Generator<Iterable<Entry>, void> {
  const iterator = entries[Symbol.iterator]()
  let isOver = false
  while (!isOver) yield nextPortion()

  function* nextPortion(): Generator<Entry, void> {
    for (let count = 0; count < size; count += 1) {
      const { done, value } = iterator.next()
      isOver = done === true
      if (done) return
      yield value
    }
  }
}

/** Returns the message of an entry; undefined for a broken line. */
export function messageOf(entry: Entry): unknown {
  return 'message' in entry ? entry.message : undefined
}

/** Returns the decoded messages and the issues, in the order of their lines. */
export function decodedEntries({ lines, issues }: Pick<DecodedLines, 'lines' | 'issues'>): readonly Entry[] {
  if (issues.length === 0) return lines
  const brokenLines = issues.map((issue) => ({ line: issue.line ?? 0, issue }))
  return [...lines, ...brokenLines].sort((left, right) => left.line - right.line)
}

/** Returns the entries of the line in which an input ends. */
export function lastEntries(memory: LineMemory): readonly Entry[] {
  return decodedEntries(endLines(memory)).map((entry) =>
    'issue' in entry ? { ...entry, isCut: true } : entry,
  )
}

/**
 * Stands among the messages of a text in the place of a line that is not JSON. A source may take its content from
 * another line that has it too.
 */
export class BrokenLine {
  /** A message may be a proxy: it has no private field, and no trap sees the question. */
  static isOne(value: unknown): value is BrokenLine {
    return typeof value === 'object' && value !== null && #mark in value
  }

  readonly #mark = true

  /** The agent of the line, if the text has several transcripts. Undefined for main. */
  readonly transcript: string | undefined

  constructor(transcript: string | undefined) {
    this.transcript = transcript
  }
}
