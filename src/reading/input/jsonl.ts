import { isBytes, isObject, parseJson } from '../../core/json/values.ts'
import type { SourceIssue } from '../issue.ts'

/** The message of one line, with the line's number, counted from 1. */
export interface DecodedLine {
  readonly line: number
  readonly message: unknown
}

/** The lines that a chunk completes, the issues of broken lines, and the memory for the next chunk. */
export interface DecodedLines {
  readonly memory: LineMemory
  readonly lines: readonly DecodedLine[]
  readonly issues: readonly SourceIssue[]
}

/** The rest of the chunks so far: an incomplete line. */
export interface LineMemory {
  readonly rest: string
  /** The start of a UTF-8 sequence that the last chunk cut, at most 3 bytes. */
  readonly bytes: Uint8Array
  /** The number of complete lines so far. */
  readonly ended: number
  /** The first line is a heading of Markdown, so each line is a text and no JSON. Absent before that line. */
  readonly isText?: boolean
}

/** The memory before the first chunk. */
export const initialLines: LineMemory = Object.freeze({
  rest: '',
  bytes: /* @__PURE__ */ new Uint8Array(),
  ended: 0,
})

/**
 * Decodes newline-delimited JSON from chunks of text or UTF-8 bytes, cut anywhere. Returns the lines that the chunk
 * completes and keeps only the incomplete line. It skips blank lines, reads each of several objects on one line, and
 * reads the data of server-sent events (`data: {…}`). In a file that begins with a heading of Markdown, each line is a
 * message `{ text }`. A line that is not JSON, or is longer than 268,435,456 UTF-16
 * units, is an issue. Throws a `TypeError` for a chunk that is neither text nor bytes.
 */
export function decodeLines(memory: LineMemory, chunk: string | Uint8Array): DecodedLines {
  if (typeof chunk !== 'string' && !isBytes(chunk)) throw new TypeError('pass text or a Uint8Array')
  if (chunk.length <= MAX_PIECE) return decodePiece(memory, chunk)
  const lines: DecodedLine[] = []
  const issues: SourceIssue[] = []
  let current = memory
  for (let from = 0; from < chunk.length; from += MAX_PIECE) {
    const piece =
      typeof chunk === 'string' ? chunk.slice(from, from + MAX_PIECE) : chunk.subarray(from, from + MAX_PIECE)
    const decoded = decodePiece(current, piece)
    current = decoded.memory
    for (const line of decoded.lines) lines.push(line)
    for (const issue of decoded.issues) issues.push(issue)
  }
  return { memory: current, lines, issues }
}

/** In bytes or UTF-16 units. An engine cannot make one string from a chunk of any size, so longer chunks are split. */
const MAX_PIECE = 2 ** 26

function decodePiece(memory: LineMemory, chunk: string | Uint8Array): DecodedLines {
  const { text, bytes } =
    typeof chunk === 'string' ? { text: chunk, bytes: memory.bytes } : decode(memory.bytes, chunk)
  const found: FoundLines = { lines: [], issues: [] }
  let { rest, ended, isText } = memory
  let from = 0
  for (let to = text.indexOf('\n'); to >= 0; to = text.indexOf('\n', from)) {
    ended += 1
    const line = joinLine(rest, text.slice(from, to))
    isText ??= isHeading(line)
    if (isText) found.lines.push({ line: ended, message: textMessage(line) })
    else decodeLine(line, ended, found)
    rest = ''
    from = to + 1
  }
  const next = { rest: joinLine(rest, text.slice(from)), bytes, ended }
  return { memory: isText === undefined ? next : { ...next, isText }, ...found }
}

/** Whether a line is a heading of Markdown, and so no JSON. Undefined for a blank line. */
export function isHeading(line: string): boolean | undefined {
  return line.trim() === '' ? undefined : /^\uFEFF?# /.test(line)
}

/** Returns the message of a line that is a text. */
function textMessage(line: string): { readonly text: string } {
  return { text: line.replace(/^\uFEFF|\r$/g, '') }
}

/** In UTF-16 units: half of V8's longest string, the shortest limit of all engines. Messages with the line inside are longer. */
export const LONGEST_LINE: number = 2 ** 28

/** Replaces a line that is too long. It is not JSON, so the line becomes an issue. */
const INVALID_JSON = '?'

function joinLine(rest: string, more: string): string {
  return rest.length + more.length > LONGEST_LINE ? INVALID_JSON : rest + more
}

/** Returns the last line, which may lack its newline. */
export function endLines({ rest, bytes, ended, isText }: LineMemory): Omit<DecodedLines, 'memory'> {
  // Not every engine has a TextDecoder, and text chunks do not need one.
  const cut = bytes.length > 0 ? new TextDecoder().decode(bytes) : ''
  const found: FoundLines = { lines: [], issues: [] }
  const text = rest + cut
  if (isText ?? isHeading(text)) {
    if (text !== '') found.lines.push({ line: ended + 1, message: textMessage(text) })
  } else decodeLine(text, ended + 1, found)
  return found
}

/** The lines and issues of a piece, while it is read. */
interface FoundLines {
  readonly lines: DecodedLine[]
  readonly issues: SourceIssue[]
}

function decodeLine(text: string, line: number, { lines, issues }: FoundLines): void {
  // Most lines are one object. The other forms of a line take longer.
  const object = text.startsWith('{') ? parseJson(text) : undefined
  if (object !== undefined) lines.push({ line, message: object })
  else
    for (const message of parseLine(text))
      if (message === undefined) issues.push({ code: 'malformed-line', count: 1, line })
      else lines.push({ line, message })
}

/**
 * Returns the values of a line: none for a blank line, undefined for a part that is not JSON. In a file whose lines
 * end with a carriage return alone, all lines arrive as one. That line is not JSON, but its first part is. A broken
 * line's first part is not.
 */
function parseLine(line: string): readonly unknown[] {
  const json = jsonText(line)
  if (json === '') return []
  const value = parseJson(json)
  if (value !== undefined) return [value]
  if (!json.includes('\r')) return joinedValues(json)
  const [first = '', ...others] = json.split('\r')
  const firstPart = parseJson(jsonText(first))
  return firstPart === undefined ? joinedValues(json) : [firstPart, ...others.flatMap(parseLine)]
}

/** Returns the line without a byte order mark. Of a server-sent event only the data counts: its other fields are blank. */
function jsonText(line: string): string {
  const text = line.trim()
  if (text.startsWith('data:')) return text.slice('data:'.length).trim()
  return OTHER_EVENT_FIELD.test(text) ? '' : text
}

/** The fields of a server-sent event beside its data, and comments, which keep the connection open. */
const OTHER_EVENT_FIELD = /^(?:event|id|retry)?:/

/** Returns the value of a whole file, or undefined if the file is not JSON. The file may start with a byte order mark. */
export function fileValue(text: string): unknown {
  return parseJson(text.trim())
}

/** Returns the text of the complete UTF-8 sequences, and the bytes of an incomplete one for the next chunk. */
function decode(
  before: Uint8Array,
  chunk: Uint8Array,
): { readonly text: string; readonly bytes: Uint8Array } {
  const all = before.length === 0 ? chunk : concatenate(before, chunk)
  const end = all.length - incompleteLength(all)
  // Inside a file, a byte order mark is a character like others. At the start of a line, `trim` removes it.
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(all.subarray(0, end))
  // `slice` of a Buffer is a view of memory that the owner may overwrite. This copies the bytes.
  return { text, bytes: new Uint8Array(all.subarray(end)) }
}

function concatenate(left: Uint8Array, right: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(left.length + right.length)
  bytes.set(left)
  bytes.set(right, left.length)
  return bytes
}

/** Returns the number of bytes at the end that start an incomplete UTF-8 sequence. */
function incompleteLength(bytes: Uint8Array): number {
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

/** The start of an object with a key. Inside the strings of whole JSON, the quote is escaped. */
const OBJECT_START = /\{"[^"\\]*":/g

/** A failed try may read the whole line, so a line that needs more of them is broken from there on. */
const MAX_FAILURES = 100

/**
 * Returns the values of a line that is not JSON, but may hold several objects. Two writers may share a file, or a new
 * process may append to a cut line. A broken object, or several in a row, gives undefined.
 */
function joinedValues(line: string): readonly unknown[] {
  const starts = [0, ...objectStarts(line)]
  const values: unknown[] = []
  const tries = { failed: 0 }
  for (let at = 0; at < starts.length && tries.failed < MAX_FAILURES; ) {
    const found = objectFrom(line, starts, at, tries)
    at = found?.next ?? at + 1
    if (found || values.length === 0 || values.at(-1) !== undefined) values.push(found?.value)
  }
  return values
}

/** A colon, a comma or a bracket comes before an object inside another one. */
function objectStarts(line: string): readonly number[] {
  return [...line.matchAll(OBJECT_START)]
    .map(({ index }) => index)
    .filter((index) => index > 0 && !/[:,[] ?$/.test(line.slice(Math.max(0, index - 2), index)))
}

/** Returns the object that begins at a start, and the next start behind it. A start inside the object is no start. */
function objectFrom(
  line: string,
  starts: readonly number[],
  at: number,
  tries: { failed: number },
): { readonly value: unknown; readonly next: number } | undefined {
  for (let next = at + 1; next <= starts.length && tries.failed < MAX_FAILURES; next += 1) {
    const value = parseJson(line.slice(starts[at], starts[next]))
    if (isObject(value)) return { value, next }
    tries.failed += 1
  }
  return undefined
}
