import { stripVTControlCharacters } from 'node:util'
import type { Todo } from '../../core/state/todo.ts'
import { shorten } from '../../sinks/markdown/text/escape.ts'
import { renderMarkdown } from '../markdown/render.ts'
import { hang, wrapColumns, wrapWords } from '../terminal/wrap.ts'
import type { View } from './view.ts'

/** Returns the lines of a text that the model or a person wrote in Markdown. */
export function proseLines({ text, paint, redact }: View, words: string, width: number): readonly string[] {
  const lines = renderMarkdown(text.redacted(words), { width, paint })
  // Without its marks, a text may read as one that a redaction hides: `a\@b.example` is an address.
  const plain = stripVTControlCharacters(lines.join('\n'))
  const redacted = redact(plain)
  return redacted === plain ? lines : redacted.split('\n')
}

/** Returns the lines of a text as it was typed. */
export function typedLines({ text }: View, words: string, width: number): readonly string[] {
  return wrapWords(text.redacted(words).replace(/^\n+/, '').trimEnd(), width)
}

/** A long line takes at most this many rows. */
const ROWS_OF_LINE = 3

/** The lines of a text that a view shows. */
interface Shortening {
  /** How many lines are shown, unless the view shows all. */
  readonly limit: number
  /** In columns. */
  readonly width: number
  /** How many of them are the last ones. */
  readonly tail?: number | undefined
}

/** Returns the lines of a redacted text, wrapped at the last column. If some are left out, a line says how many. */
export function shortenedLines(
  { isFull }: View,
  words: string,
  { limit, width, tail }: Shortening,
): readonly string[] {
  if (words.trim() === '') return []
  return wrapColumns(isFull ? words.trimEnd() : shorten(words, limit, ROWS_OF_LINE * width, tail), width)
}

const MARKS: Readonly<Record<Todo['status'], string>> = {
  pending: '☐ ',
  in_progress: '▣ ',
  completed: '☑ ',
  cancelled: '☒ ',
}

/** Returns a plan as a list. */
export function todoLines({ text, paint }: View, todos: readonly Todo[], width: number): readonly string[] {
  return todos.flatMap(({ status, text: words }) => {
    const lines = wrapWords(text.short(words, 1000), width - 2)
    const isOver = status === 'completed' || status === 'cancelled'
    const painted = lines.map((line) =>
      isOver ? paint(line, 'dim') : status === 'in_progress' ? paint(line, 'bold') : line,
    )
    return hang(MARKS[status], painted)
  })
}
