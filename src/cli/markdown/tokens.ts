import { Lexer, type Token, type Tokens } from 'marked'
import { overflowMessage } from '../../node/files/read-error.ts'

/** Returns the parts of a text of Markdown; undefined for one that may take too long to read, or is nested too deep. */
export function markdownTokens(text: string): readonly Token[] | undefined {
  if (isCostlyMarkdown(text)) return undefined
  try {
    return Lexer.lex(text)
  } catch (error) {
    if (overflowMessage(error) === undefined) throw error
    return undefined
  }
}

interface TokenTypes {
  readonly heading: Tokens.Heading
  readonly code: Tokens.Code
  readonly table: Tokens.Table
  readonly list: Tokens.List
  readonly blockquote: Tokens.Blockquote
  readonly paragraph: Tokens.Paragraph
  readonly text: Tokens.Text
}

/** The types of marked also have a generic token, so that a comparison of `type` alone decides nothing. */
export function isToken<Type extends keyof TokenTypes>(token: Token, type: Type): token is TokenTypes[Type] {
  return token.type === type
}

/** In UTF-16 units. */
const MAX_LENGTH = 50_000

/** Quotes and lists around a line. A parser visits each of them on each line. */
const MAX_CONTAINERS = 50

/** Lines that may underline a heading. The time of a parser grows with the square of their number. */
const MAX_UNDERLINES = 300

/** Marks × length, over the paragraphs: a parser may look from each mark to the end of the paragraph. */
const MAX_STEPS = 30_000_000

/** Columns × lines, over the tables: a parser fills each short row, so few marks make many cells. */
const MAX_CELLS = 20_000

/** Whether a parser of Markdown may need seconds for the text, or overflow its stack. Such a text is shown as it is. */
export function isCostlyMarkdown(text: string): boolean {
  if (text.length > MAX_LENGTH) return true
  const prose = withoutCode(text)
  if (hasDeepLine(prose) || countOf(prose, UNDERLINE) > MAX_UNDERLINES) return true
  return stepsIn(prose) > MAX_STEPS || cellsIn(prose) > MAX_CELLS
}

/**
 * Returns the text without the lines of its code blocks, in which a parser looks for no marks. Only a fence at the
 * beginning of a line is one for sure: another may belong to a list, which ends it. After a line of HTML, no fence is
 * sure.
 */
function withoutCode(text: string): string {
  const prose: string[] = []
  let fence: string | undefined
  let hasHtml = false
  for (const line of text.split(/\r\n?|\n/)) {
    if (fence !== undefined) {
      if (isEnd(line, fence)) fence = undefined
      continue
    }
    prose.push(line)
    hasHtml ||= /^[ \t]*</.test(line)
    if (!hasHtml) fence = FENCE.exec(line)?.[1]
  }
  return prose.join('\n')
}

const FENCE = /^(`{3,}(?=[^`]*$)|~{3,})/

function isEnd(line: string, fence: string): boolean {
  const marks = line.trim()
  return (
    /^ {0,3}\S/.test(line) && marks.length >= fence.length && marks === fence.charAt(0).repeat(marks.length)
  )
}

function hasDeepLine(text: string): boolean {
  return Array.from(text.matchAll(CONTAINERS)).some(([marks]) => levelsIn(marks) > MAX_CONTAINERS)
}

/** A list needs two columns, and a tab has up to four. */
function levelsIn(marks: string): number {
  const indent = /^[ \t]*/.exec(marks)?.[0].replaceAll('\t', '    ') ?? ''
  return indent.length / 2 + countOf(marks, CONTAINER)
}

const CONTAINERS = /^(?:[ \t]*(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t])))+/gm
const CONTAINER = /[>+*.)-]/g
const UNDERLINE = /^[ \t>]*(?:-+|=+)[ \t]*$/gm

function stepsIn(text: string): number {
  return paragraphsOf(text).reduce(
    (steps, paragraph) => steps + countOf(paragraph, MARK) * paragraph.length + mailStepsIn(paragraph),
    0,
  )
}

/** From each character of a word, a parser may look for the end of a mail address. */
function mailStepsIn(paragraph: string): number {
  if (!paragraph.includes('@')) return 0
  const words = paragraph.match(MAIL_WORD) ?? []
  return words.reduce((steps, word) => steps + (word.includes('@') ? word.length ** 2 : 0), 0)
}

const MAIL_WORD = /[\w.!#$%&'*+/=?^`{|}~@-]+/g

function cellsIn(text: string): number {
  return paragraphsOf(text).reduce((cells, paragraph) => {
    const columns = (paragraph.match(TABLE_RULE) ?? []).map((rule) => countOf(rule, /\|/g))
    return cells + columns.reduce((most, each) => Math.max(most, each), 0) * paragraph.split('\n').length
  }, 0)
}

/** The line below the head of a table. */
const TABLE_RULE = /^[-:| \t>]+$/gm

/** Only a blank line ends a paragraph for sure, so a table counts as one. */
function paragraphsOf(text: string): readonly string[] {
  return text.split(/\n[ \t]*\r?\n/)
}

const MARK = /[`*_~[\]<>!&@:|\\(]|www/g

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}
