import { shorten } from '../../sinks/markdown/text/lines.ts'
import { wrapColumns } from '../terminal/wrap.ts'
import type { View } from './view.ts'

/** A long line takes at most this many rows. */
const ROWS_OF_LINE = 3

/** The lines of a text that a view shows. */
interface Shortening {
  /** How many lines are shown, unless the view shows all. */
  readonly limit: number
  /** In columns. */
  readonly width: number
}

/** Returns the lines of a redacted text, wrapped at the last column. If some are left out, a line says how many. */
export function shortenedLines(
  { isFull }: View,
  words: string,
  { limit, width }: Shortening,
): readonly string[] {
  if (words.trim() === '') return []
  return wrapColumns(isFull ? words.trimEnd() : shorten(words, limit, ROWS_OF_LINE * width), width)
}
