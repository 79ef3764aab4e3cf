import { stripVTControlCharacters } from 'node:util'
import type { Token, Tokens } from 'marked'
import { greatest } from '../../core/json/lists.ts'
import type { Todo } from '../../core/state/todo.ts'
import { shorten } from '../../sinks/markdown/text/escape.ts'
import { highlight } from '../markdown/highlight.ts'
import { inlineText } from '../markdown/inline.ts'
import { isToken, markdownTokens } from '../markdown/tokens.ts'
import type { Paint, StyleName } from '../terminal/style.ts'
import { hang, pad, widthOf, wrapColumns, wrapHard, wrapWords } from '../terminal/wrap.ts'
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

/** The place that shows a text of Markdown. */
interface MarkdownPlace {
  /** In columns. */
  readonly width: number
  readonly paint: Paint
}

/** A quote or a list in a narrower space continues at the same place. In columns. */
const MIN_WIDTH = 16

/**
 * Returns the lines of a text of Markdown for a terminal. Lines wrap between words; code and long words stay whole.
 * The text must not contain control characters.
 */
export function renderMarkdown(text: string, place: MarkdownPlace): readonly string[] {
  const tokens = markdownTokens(text)
  return tokens ? blockLines(tokens, place) : wrapWords(text.trim(), place.width)
}

/** Returns the lines of several blocks, with a blank line between them. */
function blockLines(tokens: readonly Token[], place: MarkdownPlace): readonly string[] {
  const lines: string[] = []
  for (const token of tokens) {
    const own = tokenLines(token, place)
    if (own.length === 0) continue
    if (lines.length > 0 && !isTight(token)) lines.push('')
    for (const line of own) lines.push(line)
  }
  return lines
}

/** A text within a list item has no blank line before it. */
function isTight(token: Token): boolean {
  return token.type === 'text'
}

function tokenLines(token: Token, place: MarkdownPlace): readonly string[] {
  const { width, paint } = place
  if (isToken(token, 'heading')) return headingLines(token, place)
  if (isToken(token, 'code')) return codeLines(token, paint)
  if (isToken(token, 'table')) return tableLines(token, width, paint)
  if (isToken(token, 'list')) return listLines(token, place)
  if (isToken(token, 'blockquote')) return quoteLines(token, place)
  if (token.type === 'hr') return [paint('─'.repeat(Math.min(width, 20)), 'dim')]
  if (token.type === 'space' || token.type === 'def' || token.type === 'checkbox') return []
  if (token.type === 'html') return wrapWords(token.raw.trimEnd(), width)
  return wrapWords(inlineText([...childrenOf(token)], paint), width)
}

function childrenOf(token: Token): readonly Token[] {
  return 'tokens' in token && Array.isArray(token.tokens) ? token.tokens : [token]
}

/** The lines below the headings of the first levels: without colours, nothing else shows that they are headings. */
const RULES = ['', '═', '─']

function headingLines({ tokens, depth }: Tokens.Heading, { width, paint }: MarkdownPlace): readonly string[] {
  const lines = wrapWords(inlineText(tokens, paint), width)
  const rule = (RULES[depth] ?? '').repeat(Math.min(width, greatest(lines.map(widthOf))))
  return [...lines.map((line) => paint(line, 'bold')), ...(rule === '' ? [] : [paint(rule, 'dim')])]
}

/** Code does not wrap, so that a person can copy it. */
function codeLines({ text, lang }: Tokens.Code, paint: Paint): readonly string[] {
  const coloured = paintCode(text, lang, paint)
  return coloured.split('\n').map((line) => (line === '' ? '' : `  ${line}`))
}

function quoteLines({ tokens }: Tokens.Blockquote, place: MarkdownPlace): readonly string[] {
  const inner = { ...place, width: Math.max(MIN_WIDTH, place.width - 2) }
  const bar = place.paint('▎', 'dim')
  return blockLines(tokens, inner).map((line) => (line === '' ? bar : `${bar} ${line}`))
}

function listLines({ items, ordered, start, loose }: Tokens.List, place: MarkdownPlace): readonly string[] {
  const first = typeof start === 'number' ? start : 1
  const last = String(first + items.length - 1).length
  return items.flatMap((item, at) => {
    const number = `${first + at}. `.padStart(last + 2)
    const mark = item.task ? (item.checked ? '☑ ' : '☐ ') : ordered ? number : '• '
    const inner = { ...place, width: Math.max(MIN_WIDTH, place.width - mark.length) }
    const lines = blockLines(item.tokens, inner)
    const own = hang(place.paint(mark, 'dim'), lines.length === 0 ? [''] : tightLines(lines, loose))
    return loose && at > 0 ? ['', ...own] : own
  })
}

/** A tight list has no blank lines, except around code and within it. */
function tightLines(lines: readonly string[], isLoose: boolean): readonly string[] {
  return isLoose ? lines : lines.filter((line, at) => line !== '' || lines[at + 1]?.startsWith('  '))
}

/** The style of each kind of part. */
const STYLES: Readonly<Record<string, StyleName>> = {
  comment: 'dim',
  string: 'green',
  addition: 'green',
  deletion: 'red',
  number: 'yellow',
  meta: 'yellow',
  keyword: 'magenta',
  attr: 'cyan',
  title: 'cyan',
}

/** Paints the parts of a code. A code in an unknown language has one colour. */
export function paintCode(text: string, language: string | undefined, paint: Paint): string {
  const parts = highlight(text, /^[\w+#-]+/.exec(language ?? '')?.[0])
  if (!parts) return paint(text, 'yellow')
  return parts
    .map((part) => {
      const style = STYLES[part.kind ?? '']
      return style === undefined ? part.text : paint(part.text, style)
    })
    .join('')
}

/** A column with less space shows a list of each row instead. */
const MIN_COLUMN = 8

/** The columns between two cells: a space, a line and a space. */
const GAP = 3

/** Returns a table whose cells wrap, or one list per row if the columns do not fit beside each other. */
function tableLines({ header, rows }: Tokens.Table, width: number, paint: Paint): readonly string[] {
  const cellsOf = (row: readonly Tokens.TableCell[]) => row.map(({ tokens }) => inlineText(tokens, paint))
  const head = cellsOf(header)
  const body = rows.map(cellsOf)
  const widths = columnWidths([head, ...body], width)
  if (!widths) return narrowLines(head, body, width, paint)
  const columns = widths.map((each, at) => ({
    width: each,
    align: header[at]?.align ?? (isNumeric(body.map((row) => row[at] ?? '')) ? 'right' : 'left'),
  }))
  const bold = head.map((cell) => paint(cell, 'bold'))
  const rule = widths.map((each) => '─'.repeat(each)).join('─┼─')
  return [
    ...rowLines(bold, columns, paint),
    paint(rule, 'dim'),
    ...body.flatMap((row) => rowLines(row, columns, paint)),
  ]
}

interface Column {
  readonly width: number
  readonly align: NonNullable<Tokens.TableCell['align']>
}

/** Whether the cells of a column are numbers, perhaps with a unit, and some without a value. */
function isNumeric(cells: readonly string[]): boolean {
  const known = cells
    .map((cell) => stripVTControlCharacters(cell).trim())
    .filter((cell) => !NO_VALUE.test(cell))
  return known.length > 0 && known.every((cell) => NUMBER.test(cell))
}

const NO_VALUE = /^[-–—?]?$/
/** A sign or a currency, digits in groups, and a unit of one short word. */
const NUMBER =
  /^[~≈<>≤≥]? ?[-+−±]?[$€£¥]? ?\d[\d,.'_ \u00a0\u202f]{0,40}(?: ?[%‰×°$€£¥]| ?[\p{L}µ]{1,3}(?:\/[\p{L}]{1,3})?)?$/u

/** Returns the width of each column: its widest cell, or a fair share if there is too little space. Undefined if they do not fit. */
function columnWidths(rows: readonly (readonly string[])[], width: number): readonly number[] | undefined {
  const count = greatest(rows.map(({ length }) => length))
  const widest = Array.from({ length: count }, (_, at) =>
    Math.max(1, greatest(rows.map((row) => greatest((row[at] ?? '').split('\n').map(widthOf))))),
  )
  const space = width - GAP * (count - 1)
  const sum = (widths: readonly number[]) => widths.reduce((total, each) => total + each, 0)
  if (sum(widest) <= space) return widest
  let limit = greatest(widest)
  while (limit > MIN_COLUMN && sum(widest.map((each) => Math.min(each, limit))) > space) limit -= 1
  const widths = widest.map((each) => Math.min(each, limit))
  return sum(widths) <= space ? widths : undefined
}

/** A word that is wider than its column breaks, because it would move the cells beside it. */
function rowLines(cells: readonly string[], columns: readonly Column[], paint: Paint): readonly string[] {
  const wrapped = columns.map(({ width }, at) => wrapHard(cells[at] ?? '', width))
  const height = greatest(wrapped.map(({ length }) => length))
  return Array.from({ length: height }, (_, at) =>
    columns
      .map((column, place) => aligned(wrapped[place]?.[at] ?? '', column))
      .join(` ${paint('│', 'dim')} `)
      .trimEnd(),
  )
}

function aligned(text: string, { width, align }: Column): string {
  const space = Math.max(0, width - widthOf(text))
  const before = align === 'right' ? space : align === 'center' ? Math.floor(space / 2) : 0
  return pad(' '.repeat(before) + text, width)
}

function narrowLines(
  head: readonly string[],
  body: readonly (readonly string[])[],
  width: number,
  paint: Paint,
): readonly string[] {
  if (body.length === 0) return head.flatMap((name) => wrapWords(paint(name, 'bold'), width))
  return body.flatMap((row, at) => [
    ...(at === 0 ? [] : ['']),
    ...row.flatMap((cell, column) => wrapWords(`${paint(`${head[column] ?? ''}:`, 'bold')} ${cell}`, width)),
  ])
}
