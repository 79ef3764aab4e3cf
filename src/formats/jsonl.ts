import { parseJson } from '../json/values.ts'
import type { SourceIssue } from './source.ts'

/** One line's message, with its number counted from 1. */
export interface DecodedLine {
  readonly line: number
  readonly message: unknown
}

/** What a chunk gave: the lines that it ended, what was wrong with others, and what is left. */
export interface DecodedLines {
  readonly memory: LineMemory
  readonly lines: readonly DecodedLine[]
  readonly issues: readonly SourceIssue[]
}

/** What is left of the chunks so far: less than a line. */
export interface LineMemory {
  readonly rest: string
  /** The beginning of a UTF-8 sequence that the chunk cut, at most 3 bytes. */
  readonly bytes: Uint8Array
  /** How many lines have been ended. */
  readonly ended: number
}

/** The memory before the first chunk. */
export const initialLines: LineMemory = Object.freeze({ rest: '', bytes: new Uint8Array(), ended: 0 })

/**
 * Reads the lines of newline-delimited JSON that a chunk ends. Chunks are text or UTF-8 bytes, cut anywhere; only the
 * last, unfinished line is held. Blank lines are passed over; a line that is no JSON is an issue, and so is one of more than
 * 268,435,456 UTF-16 units. Of server-sent events (`data: {…}`) the data is read. Throws a
 * `TypeError` for a chunk that is neither text nor bytes.
 */
export function decodeLines(memory: LineMemory, chunk: string | Uint8Array): DecodedLines {
  if (typeof chunk !== 'string' && !isBytes(chunk)) throw new TypeError('pass text or a Uint8Array')
  if (chunk.length <= PIECE) return decodePiece(memory, chunk)
  const lines: DecodedLine[] = []
  const issues: SourceIssue[] = []
  let left = memory
  for (let from = 0; from < chunk.length; from += PIECE) {
    const piece =
      typeof chunk === 'string' ? chunk.slice(from, from + PIECE) : chunk.subarray(from, from + PIECE)
    const decoded = decodePiece(left, piece)
    left = decoded.memory
    for (const line of decoded.lines) lines.push(line)
    for (const issue of decoded.issues) issues.push(issue)
  }
  return { memory: left, lines, issues }
}

/** Of any realm: a page's frames have classes of their own. */
function isBytes(value: unknown): boolean {
  return ArrayBuffer.isView(value) && Object.prototype.toString.call(value) === '[object Uint8Array]'
}

/** Engines cannot make one string of a chunk of any size. */
const PIECE = 2 ** 26

function decodePiece(memory: LineMemory, chunk: string | Uint8Array): DecodedLines {
  const { text, bytes } =
    typeof chunk === 'string' ? { text: chunk, bytes: memory.bytes } : decode(memory.bytes, chunk)
  const pieces = text.split('\n')
  const last = pieces.pop() ?? ''
  const first = pieces.shift()
  if (first === undefined)
    return { memory: { ...memory, rest: joined(memory.rest, last), bytes }, lines: [], issues: [] }
  const texts = [joined(memory.rest, first), ...pieces]
  return {
    ...parseLines(texts, memory.ended),
    memory: { rest: last, bytes, ended: memory.ended + texts.length },
  }
}

/** Half of what a string can hold in V8, the narrowest engine: a line is handed on in messages that are longer. */
export const LONGEST_LINE: number = 2 ** 28

/** In the place of a line that is too long. */
const NO_JSON = '?'

function joined(rest: string, more: string): string {
  return rest.length + more.length > LONGEST_LINE ? NO_JSON : rest + more
}

/** Reads what is left as the last line, which may lack its newline. */
export function endLines({ rest, bytes, ended }: LineMemory): Omit<DecodedLines, 'memory'> {
  // Text alone needs no decoder, which not every engine has.
  const cut = bytes.length > 0 ? new TextDecoder().decode(bytes) : ''
  return parseLines([rest + cut], ended)
}

function parseLines(texts: readonly string[], ended: number): Omit<DecodedLines, 'memory'> {
  const lines: DecodedLine[] = []
  const issues: SourceIssue[] = []
  for (const [at, text] of texts.entries())
    for (const message of valuesOf(text)) {
      const line = ended + at + 1
      if (message === undefined) issues.push({ code: 'malformed-line', count: 1, line })
      else lines.push({ line, message })
    }
  return { lines, issues }
}

/**
 * What a line holds, undefined for what is no JSON; nothing where it is blank. Lines that end in carriage returns alone come as one,
 * which is no JSON but begins with some; a line that is broken does not.
 */
function valuesOf(line: string): readonly unknown[] {
  const json = jsonOf(line)
  if (json === '') return []
  const value = parseJson(json)
  if (value !== undefined) return [value]
  if (!json.includes('\r')) return [undefined]
  const [first = '', ...others] = json.split('\r')
  const begin = parseJson(jsonOf(first))
  return begin === undefined ? [undefined] : [begin, ...others.flatMap(valuesOf)]
}

/** Without a byte order mark; of a server-sent event the data. */
function jsonOf(line: string): string {
  const text = line.trim()
  return text.startsWith('data:') ? text.slice('data:'.length).trim() : text
}

/** The values of the lines that are not blank, one by one; undefined for a line that is no JSON. */
export function* valuesIn(text: string): Generator<unknown, void> {
  for (let from = 0; from < text.length; ) {
    const lineEnd = text.indexOf('\n', from)
    const to = lineEnd < 0 ? text.length : lineEnd
    yield* valuesOf(text.slice(from, to))
    from = to + 1
  }
}

/** Returns the value on the first line that is not blank, or undefined if it is no JSON. */
export function firstValue(text: string): unknown {
  return valuesIn(text).next().value
}

/** Returns the value of a whole file, or undefined if it is no JSON. A byte order mark may stand before it. */
export function fileValue(text: string): unknown {
  return parseJson(text.trim())
}

/** The text of the whole sequences; what the chunk's end cut off is left for the next one. */
function decode(
  before: Uint8Array,
  chunk: Uint8Array,
): { readonly text: string; readonly bytes: Uint8Array } {
  const all = before.length === 0 ? chunk : concatenate(before, chunk)
  const end = all.length - cutLength(all)
  // A byte order mark inside a file is a character like others; at its start `trim` takes it off.
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(all.subarray(0, end))
  // Not `slice`: of a Buffer that is a view of memory which its owner may fill anew.
  return { text, bytes: new Uint8Array(all.subarray(end)) }
}

function concatenate(left: Uint8Array, right: Uint8Array): Uint8Array {
  const joined = new Uint8Array(left.length + right.length)
  joined.set(left)
  joined.set(right, left.length)
  return joined
}

/** How many bytes at the end begin a UTF-8 sequence that they do not complete. */
function cutLength(bytes: Uint8Array): number {
  for (let length = 1; length <= Math.min(3, bytes.length); length += 1) {
    const byte = bytes[bytes.length - length] ?? 0
    if (byte >= 0b1100_0000) return sequenceLength(byte) > length ? length : 0
    if (byte < 0b1000_0000) return 0
  }
  return 0
}

function sequenceLength(leadingByte: number): number {
  if (leadingByte >= 0b1111_0000) return 4
  return leadingByte >= 0b1110_0000 ? 3 : 2
}
