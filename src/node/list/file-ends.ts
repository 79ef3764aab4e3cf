import { encodingOf } from '../files/decode-text.ts'
import { openContent, readTail } from '../files/read-piece.ts'

/** In bytes. */
const END_SIZE = 2 ** 16

/** The beginning and the end of a file. The lines are complete, unless the file has only one. */
interface FileEnds {
  readonly head: string
  /** Empty if the head is the whole file. */
  readonly tail: string
  /** Whether the head and the tail are the whole file. */
  readonly isWhole: boolean
}

/** Reads at most `END_SIZE` bytes at the beginning of a file, and as many at its end. */
export async function readEnds(path: string): Promise<FileEnds> {
  const content = await openContent(path)
  const { size } = content
  const isWhole = size <= 2 * END_SIZE
  const beginning = await content.read(0, isWhole ? size : END_SIZE)
  const encoding = encodingOf(beginning)
  const head = new TextDecoder(encoding).decode(beginning)
  if (isWhole) return { head, tail: '', isWhole }
  const tail = await readTail(content, END_SIZE, encoding)
  return { head: withoutLastLine(head), tail: withoutFirstLine(tail), isWhole }
}

function withoutLastLine(text: string): string {
  const end = text.lastIndexOf('\n')
  return end < 0 ? text : text.slice(0, end + 1)
}

function withoutFirstLine(text: string): string {
  return text.slice(text.indexOf('\n') + 1)
}
