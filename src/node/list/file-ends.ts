import { entriesOfLines } from '../../reading/input/entries.ts'
import { detectEntries } from '../../wires/detect.ts'
import { encodingOf } from '../files/decode-text.ts'
import { isCutValue } from '../files/detect-file.ts'
import { type Content, openContent, readTail } from '../files/read-piece.ts'

/** In bytes. */
const END_SIZE = 2 ** 16
/** In bytes. The rest of the first `END_SIZE` mostly has the end of the line that this piece cuts. */
const FIRST_PIECE = 0.75 * END_SIZE
/** In bytes. A first prompt with a picture is a line of some hundred kB. */
const MAX_LINE = 2 ** 21
const NEWLINE = 10

/** The beginning and the end of a file. The lines are complete, unless the file has only one. */
export interface FileEnds {
  readonly head: string
  /** Empty if the head is the whole file. */
  readonly tail: string
  /** Whether the head and the tail are the whole file. */
  readonly isWhole: boolean
}

/**
 * Reads `END_SIZE` bytes at the beginning of a file, and as many at its end. It reads a long line at the beginning to its
 * end.
 */
export async function readEnds(path: string): Promise<FileEnds> {
  const content = await openContent(path)
  const beginning = await readBeginning(content)
  const isWhole = beginning.length === content.size
  const encoding = encodingOf(beginning)
  const head = new TextDecoder(encoding).decode(beginning)
  if (isWhole) return { head, tail: '', isWhole }
  const tail = await readTail(content, END_SIZE, encoding)
  return { head: withoutLastLine(head), tail: withoutFirstLine(tail, !head.includes('\n')), isWhole }
}

/**
 * Reads the first piece, and to the end of the line that it cuts: it may be the first prompt. Returns the piece alone if
 * that line does not end in the first `MAX_LINE` bytes, and the whole content if its end follows soon.
 */
async function readBeginning({ size, read }: Content): Promise<Uint8Array> {
  if (size <= 2 * END_SIZE) return read(0, size)
  const first = await read(0, FIRST_PIECE)
  const pieces = [first]
  for (let at = FIRST_PIECE, end = END_SIZE; at < Math.min(size, MAX_LINE); at = end, end += END_SIZE) {
    const piece = await read(at, Math.min(end, size) - at)
    pieces.push(piece)
    if (!piece.includes(NEWLINE)) continue
    if (size <= end + END_SIZE) pieces.push(await read(end, Math.max(0, size - end)))
    return Buffer.concat(pieces)
  }
  return first
}

/**
 * Whether the file ends within its first value: its program still writes it, or has crashed. A damaged first line looks
 * like one, so lines of a known format decide.
 */
export function isCut({ head, tail, isWhole }: FileEnds): boolean {
  if (!isCutValue(head)) return false
  const isOneValue = head.includes('\n') || !tail.trimEnd().includes('\n')
  const isOpen = isWhole || (isOneValue && !/[}\]]\s*$/.test(tail))
  return isOpen && detectEntries(entriesOfLines(head + tail)) === undefined
}

function withoutLastLine(text: string): string {
  const end = text.lastIndexOf('\n')
  return end < 0 ? text : text.slice(0, end + 1)
}

function withoutFirstLine(text: string, isOneLine: boolean): string {
  const rest = text.slice(text.indexOf('\n') + 1)
  // The only newline of the file may be its last byte.
  return isOneLine && rest.trim() === '' ? text : rest
}
