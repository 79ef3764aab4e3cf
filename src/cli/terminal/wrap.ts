import stringWidth from 'string-width'
import wrapAnsi from 'wrap-ansi'
import { isPlain, type Widths } from './width.ts'

/** The widest lines of text, in columns. Longer lines are hard to read. */
export const MEASURE = 100

/** Returns the columns that a text needs. */
export function widthOf(text: string): number {
  return isPlain(text) ? text.length : stringWidth(text)
}

/**
 * Wraps lines between words. A line keeps its indent, and a word that is too long stays whole, so that a person can copy it. A
 * script without spaces between its words breaks at the last column.
 */
export function wrapWords(text: string, width: number): readonly string[] {
  return linesOf(text).flatMap((line) => wrapLine(line, width))
}

/** Wraps lines between words, and words that are too long at the last column. */
export function wrapHard(text: string, width: number): readonly string[] {
  return linesOf(text).flatMap((line) =>
    widthOf(line) <= width ? [line.trim()] : wrapAnsi(line.trim(), width, { hard: true }).split('\n'),
  )
}

/** A very long line is wrapped piece by piece, because wrapping needs quadratic time. Codes of styles stay whole. */
function linesOf(text: string): readonly string[] {
  return text
    .split('\n')
    .flatMap((line) =>
      line.length <= LONG_LINE || line.includes('\u001b')
        ? [line]
        : Array.from(line.matchAll(PIECES), ([piece]) => piece),
    )
}

const LONG_LINE = 2_000
const PIECES = /.{1,2000}(?=\s|$)|.{1,2000}/gsu

function wrapLine(line: string, width: number): readonly string[] {
  if (widthOf(line) <= width) return [line.trimEnd()]
  const indent = ' '.repeat(Math.max(0, Math.min(line.search(/[^ ]|$/), Math.floor(width / 2))))
  const columns = Math.max(1, width - indent.length)
  const isHard = isWithoutSpaces(line, columns)
  // Four columns are for the signs that must not begin the next line.
  const wrapped = wrapAnsi(line.trim(), isHard ? Math.max(2, columns - 4) : columns, { hard: isHard })
  return (isHard ? wrapped.replace(NOT_FIRST, '$1\n').trimEnd() : wrapped)
    .split('\n')
    .map((each) => indent + each)
}

/** Two signs at most at the beginning of a line that belong to the word before them. */
const NOT_FIRST =
  /\n([\u3001\u3002\u3009\u300b\u300d\u300f\u3011\u3015\u30fc\uff01\uff09\uff0c\uff1a\uff1b\uff1f]{1,2})\n?/gu

/** The scripts of Chinese and Japanese, with their punctuation, and of Thai, Lao, Khmer and Burmese. */
const NO_SPACES = /* @__PURE__ */ new RegExp(
  String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}` +
    String.raw`\p{Script=Khmer}\p{Script=Myanmar}\u3000-\u303f\uff01-\uff65]`,
  'u',
)

/** Whether each word that is longer than a line is one of a script without spaces. */
function isWithoutSpaces(line: string, columns: number): boolean {
  if (!NO_SPACES.test(line)) return false
  const long = line.split(' ').filter((word) => widthOf(word) > columns)
  return long.length > 0 && long.every((word) => NO_SPACES.test(word))
}

/**
 * Joins facts by dots. A line breaks between two facts, and in a fact only if it is longer than a line. Facts that
 * are not known are empty.
 */
export function wrapFacts(facts: readonly string[], width: number): readonly string[] {
  const known = facts.filter((fact) => fact !== '')
  // A space that is no place for a break keeps a fact together.
  const text = known
    .map((fact) => (widthOf(fact) > width ? fact : fact.replaceAll(' ', '\u00a0')))
    .join(' · ')
  return text === ''
    ? []
    : wrapWords(text, width).flatMap(
        (line) => line.replaceAll('\u00a0', ' ').replace(/^· | ·$|^·$/g, '') || [],
      )
}

/** Wraps lines between words, and words that are too long at the last column. Lines keep their spaces, as code and outputs need it. */
export function wrapColumns(text: string, width: number): readonly string[] {
  return linesOf(text).flatMap((line) => columnsOf(line, Math.max(1, width)))
}

function columnsOf(line: string, width: number): readonly string[] {
  if (widthOf(line) <= width) return [line]
  return wrapAnsi(line, width, { hard: true, trim: false })
    .split('\n')
    .map((each, at) => (at === 0 ? each : each.replace(/^ /, '')).trimEnd())
}

/** Puts a mark before the first line, and as many spaces before the others. */
export function hang(mark: string, lines: readonly string[]): readonly string[] {
  const space = ' '.repeat(widthOf(mark))
  return lines.map((line, at) => (at === 0 ? (mark + line).trimEnd() : line === '' ? '' : space + line))
}

/** Fills a text with spaces up to that width. */
export function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)))
}

/** Cuts a line with styles to that width. The last character of a cut line is `…`. */
export function cutStyled(line: string, width: number): string {
  if (widthOf(line) <= width) return line
  const [start = ''] = wrapAnsi(line, Math.max(1, width - 1), {
    hard: true,
    trim: false,
    wordWrap: false,
  }).split('\n')
  return `${start}…`
}

/** Cuts a text to that width. The last character of a cut text is `…`. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  let used = 0
  let kept = ''
  for (const character of text) {
    used += stringWidth(character)
    if (used > width - 1) break
    kept += character
  }
  return `${kept.trimEnd()}…`
}

/** The rules of all texts. */
export const allWidths: Widths = { widthOf, pad, cut }
