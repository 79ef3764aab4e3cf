import { stripVTControlCharacters } from 'node:util'
import type { Tokens } from 'marked'
import { greatest } from '../../core/json/lists.ts'
import type { Paint } from '../terminal/style.ts'
import { pad, widthOf, wrapHard, wrapWords } from '../terminal/wrap.ts'
import { inlineText } from './inline.ts'

/** A column with less space shows a list of each row instead. */
const MIN_COLUMN = 8

/** The columns between two cells: a space, a line and a space. */
const GAP = 3

/** Returns a table whose cells wrap, or one list per row if the columns do not fit beside each other. */
export function tableLines({ header, rows }: Tokens.Table, width: number, paint: Paint): readonly string[] {
  const cellsOf = (row: readonly Tokens.TableCell[]) => row.map(({ tokens }) => inlineText(tokens, paint))
  const head = cellsOf(header)
  const body = rows.map(cellsOf)
  const widths = columnWidths([head, ...body], width)
  if (!widths) return listLines(head, body, width, paint)
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

function listLines(
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
