import { entriesOfLines } from '../../reading/input/entries.ts'
import { detectEntries } from '../../wires/detect.ts'
import { encodingOf } from '../files/decode-text.ts'
import { isCutValue } from '../files/detect-file.ts'
import { type Content, openContent, readTail } from '../files/read-piece.ts'

/** In bytes. */
const END_SIZE = 2 ** 16

/** The beginning and the end of a file. The lines are complete, unless the file has only one. */
export interface FileEnds {
  readonly head: string
  /** Empty if the head is the whole file. */
  readonly tail: string
  /** Whether the head and the tail are the whole file. */
  readonly isWhole: boolean
}

/** In bytes. A first prompt with a picture is a line of some megabytes. */
const MAX_LINE = 2 ** 23

/**
 * Reads `END_SIZE` bytes at the beginning of a file, and as many at its end. A long line at the beginning is read to its
 * end, because it may be the first prompt.
 */
export async function readEnds(path: string): Promise<FileEnds> {
  const content = await openContent(path)
  const beginning = await readBeginning(content)
  const isWhole = beginning.length === content.size
  const encoding = encodingOf(beginning)
  const head = new TextDecoder(encoding).decode(beginning)
  if (isWhole) return { head, tail: '', isWhole }
  const tail = await readTail(content, END_SIZE, encoding)
  return { head: withoutLastLine(head), tail: withoutFirstLine(tail), isWhole }
}

/** Returns the whole content if its end follows soon. */
async function readBeginning({ size, read }: Content): Promise<Uint8Array> {
  const first = await read(0, size <= 2 * END_SIZE ? size : END_SIZE)
  if (first.length === size || first.lastIndexOf(NEWLINE) > END_SIZE / 4) return first
  const pieces = [first]
  for (let at = END_SIZE; at < Math.min(size, MAX_LINE); at += END_SIZE) {
    const piece = await read(at, Math.min(END_SIZE, size - at))
    pieces.push(piece)
    if (!piece.includes(NEWLINE)) continue
    if (size <= at + 2 * END_SIZE) pieces.push(await read(at + piece.length, size - at - piece.length))
    return Buffer.concat(pieces)
  }
  return first
}

const NEWLINE = 10

/**
 * Whether the file ends within its first value: its program still writes it, or has crashed. A damaged first line looks
 * like one, so lines of a known format decide.
 */
export function isCut({ head, tail, isWhole }: FileEnds): boolean {
  if (!isCutValue(head)) return false
  const isOneValue = head.includes('\n') || !tail.includes('\n')
  const isOpen = isWhole || (isOneValue && !/[}\]]\s*$/.test(tail))
  return isOpen && detectEntries(entriesOfLines(head + tail)) === undefined
}

function withoutLastLine(text: string): string {
  const end = text.lastIndexOf('\n')
  return end < 0 ? text : text.slice(0, end + 1)
}

function withoutFirstLine(text: string): string {
  return text.slice(text.indexOf('\n') + 1)
}
