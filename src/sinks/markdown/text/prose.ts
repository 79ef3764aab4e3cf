import { showDirections } from '../../../redaction/printable.ts'

/** How a text becomes a part of the document. */
interface ProseOptions {
  /** Whether each line of a paragraph stays a line, as a person typed it. */
  readonly keepsLines?: boolean
}

/** The levels that headings of a text move down, because the document's own headings have the first two. */
const SHIFT = 2

const MAX_QUOTE_DEPTH = 8

/**
 * Returns a text of Markdown that cannot change what stands around it. A block of code that is open at the end is
 * closed, raw HTML outside code is escaped, and headings move below those of the document. The rules follow
 * CommonMark and tables of GitHub.
 *
 * Some lines can be read in two ways. They are rewritten, so that all programs read them in one way.
 */
export function safeProse(text: string, { keepsLines = false }: ProseOptions): string {
  const lines = text.split('\n')
  const context = { keepsLines, mayBeTable: mayHoldTable(lines) }
  return proseLines(lines, context, 0).join('\n')
}

interface ProseContext {
  readonly keepsLines: boolean
  readonly mayBeTable: boolean
}

function proseLines(lines: readonly string[], context: ProseContext, depth: number): readonly string[] {
  const out: string[] = []
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? ''
    const code = fenceOf(line)
    const quote = depth < MAX_QUOTE_DEPTH ? quoteMark(line) : undefined
    if (code) at = pushCode(out, lines, at, code)
    else if (quote !== undefined) {
      const end = endOfQuote(lines, at, quote)
      // Programs differ in how a list begins in a quote that follows a paragraph.
      if (!isBlank(out.at(-1))) out.push('')
      const inner = lines.slice(at, end).map((each) => each.slice(quote.length).replace(/^ /, ''))
      for (const each of proseLines(inner, context, depth + 1)) out.push(`${quote} ${each}`)
      at = end
    } else {
      const isLast = isBlank(lines[at + 1]) || fenceOf(lines[at + 1] ?? '') !== undefined
      pushLine(out, line, { ...context, keepsLines: context.keepsLines && !isLast })
      at += 1
    }
  }
  return out
}

/** The first line of a block of code. */
interface Fence {
  /** The mark of a list item on a line before the code, or nothing. */
  readonly item: string
  /** The spaces before the code, or the mark of the list item that it begins. */
  readonly prefix: string
  readonly marks: string
  readonly info: string
}

const FENCE = /^([ \t]*)((?:[-*+]|\d{1,9}[.)]) {1,4})?(?:(`{3,})([^`]*)|(~{3,})(.*))$/

function fenceOf(line: string): Fence | undefined {
  const found = FENCE.exec(line)
  if (!found) return undefined
  const [, space = '', item = '', ticks, tickInfo = '', tildes = '', tildeInfo = ''] = found
  const before = ' '.repeat(columnsOf(space))
  // Programs differ in whether a list may begin with such a number. So the code of such an item gets a line of its
  // own.
  const isApart = /^\d/.test(item) && !/^1[.)]/.test(item)
  return {
    item: isApart ? before + item.trimEnd() : '',
    prefix: isApart ? '   ' : before + item,
    marks: ticks ?? tildes,
    info: ticks ? tickInfo : tildeInfo,
  }
}

/**
 * Adds a block of code and returns the place behind it. Every line is indented at least as far as the fence, because
 * a line with less would end a list item around it.
 */
function pushCode(out: string[], lines: readonly string[], start: number, code: Fence): number {
  // Without a blank line, the fence might continue a paragraph.
  const indent = code.prefix.length
  const isClear = indent <= 3 && code.prefix.trim() === '' && code.item === ''
  if (!isClear && !isBlank(out.at(-1))) out.push('')
  if (code.item !== '') out.push(code.item)
  out.push(code.prefix + code.marks + code.info)
  const closing = new RegExp(`^[ \\t]*${code.marks[0]}{${code.marks.length},}[ \\t]*$`)
  let at = start + 1
  for (; at < lines.length; at += 1) {
    const line = lines[at] ?? ''
    if (closing.test(line) && indentOf(line) <= indent + 3) break
    out.push(indent === 0 ? line : indented(line, indent))
  }
  out.push(' '.repeat(indent) + code.marks)
  return at + 1
}

function indented(line: string, columns: number): string {
  if (isBlank(line)) return ''
  return ' '.repeat(Math.max(columns, indentOf(line))) + line.replace(/^[ \t]+/, '')
}

/** Returns the mark of a quote with the spaces before it. Lines of one quote have the same. */
function quoteMark(line: string): string | undefined {
  return /^ {0,3}>/.exec(line)?.[0]
}

function endOfQuote(lines: readonly string[], start: number, quote: string): number {
  let end = start + 1
  while (end < lines.length && quoteMark(lines[end] ?? '') === quote) end += 1
  return end
}

function pushLine(out: string[], line: string, { keepsLines, mayBeTable }: ProseContext): void {
  // Under a line of text, such a line would make a heading of it.
  if (/^ {0,3}-+[ \t]*$/.test(line) && !isBlank(out.at(-1))) out.push('')
  const safe = safeLine(line, mayBeTable)
    .replace(/^( {0,3})=(?==*[ \t]*$)/, '$1\\=')
    .replace(/^( {0,3}(?:(?:[-*+]|\d{1,9}[.)]) {1,4}|> {0,4}){0,4})(#{1,6})(?=[ \t]|$)/, shiftHeading)
  out.push(keepsLines && !isBlank(line) ? `${safe.replace(/(?<![ \t])[ \t]+$/, '')}  ` : safe)
}

function shiftHeading(_: string, prefix: string, marks: string): string {
  return prefix + '#'.repeat(Math.min(6, marks.length + SHIFT))
}

function isBlank(line: string | undefined): boolean {
  return line === undefined || /^[ \t]*$/.test(line)
}

function indentOf(line: string): number {
  return columnsOf(/^[ \t]*/.exec(line)?.[0] ?? '')
}

/** A tab goes on to the next multiple of four columns. */
function columnsOf(space: string): number {
  let columns = 0
  for (const each of space) columns += each === '\t' ? 4 - (columns % 4) : 1
  return columns
}

/** The marks of a line of Markdown that change what a program does with it. */
const MARKUP =
  /\\[!-/:-@[-`{-~]|`+|~{3,}|<https?:\/\/[^\s<>`|]*>|<(?=[A-Za-z/!?])|!(?=\[)|&(?:#\w+|lrm|rlm);/g

/**
 * Returns a line of Markdown without raw HTML, embedded images, and fences that a list or a note opens. Code within
 * the line stays as it is. A backtick without a partner is escaped, so that no program pairs it with one on another
 * line. In a table, a bar ends a cell and with it the code, so code with a bar loses its HTML there.
 */
function safeLine(line: string, mayBeTable: boolean): string {
  if (!/[`<~!\\&]/.test(line)) return line
  const partners = partnersOf(line)
  let safe = ''
  let at = 0
  let isInAddress = false
  for (const { 0: mark, index } of line.matchAll(MARKUP)) {
    if (index < at) continue
    const before = line.slice(at, index)
    isInAddress = endsInAddress(before, isInAddress)
    const partner = isInAddress ? undefined : partners.get(index)
    at = (partner ?? index) + mark.length
    // An escaped backtick may begin a run. All of the run is literal then.
    if (mark === '\\`') while (line[at] === '`') at += 1
    const part = line.slice(index, at)
    safe += before + (partner === undefined ? safeMarkup(part, isInAddress) : safeCode(part, mayBeTable))
  }
  return safe + line.slice(at)
}

/** Whether the text ends within an address that a program makes a link of. The link takes backticks and backslashes with it. */
function endsInAddress(text: string, isInAddress: boolean): boolean {
  const words = text.split(/\s/)
  return (isInAddress && words.length === 1) || /https?:|ftp:|www\./i.test(words.at(-1) ?? '')
}

function safeCode(code: string, mayBeTable: boolean): string {
  return mayBeTable && code.includes('|') ? code.replace(/<(?=[A-Za-z/!?])/g, '&lt;') : code
}

function safeMarkup(markup: string, isInAddress: boolean): string {
  // A backslash might belong to the address.
  const literal = isInAddress ? characterReferences : escapeEach
  switch (markup[0]) {
    case '<':
      return markup === '<' ? '&lt;' : markup
    case '\\':
      if (markup === '\\<') return '&lt;'
      return isInAddress || markup[1] === '`' ? literal(markup.slice(1)) : markup
    case '&':
      return isDirection(markup) ? `&amp;${markup.slice(1)}` : markup
    default:
      return literal(markup)
  }
}

/** Whether a reference to a character, such as `&#x202e;` or `&rlm;`, stands for a mark of a direction. */
function isDirection(reference: string): boolean {
  const [, hex = '', decimal = ''] = /^&#(?:x([\da-f]+)|(\d+));$/i.exec(reference) ?? []
  const character = String.fromCharCode(hex === '' ? Number(decimal) : Number.parseInt(hex, 16))
  return /^&[lr]/.test(reference) || showDirections(character) !== character
}

function escapeEach(marks: string): string {
  return marks.replace(/./g, '\\$&')
}

function characterReferences(marks: string): string {
  return marks.replace(/./g, (mark) => `&#${mark.charCodeAt(0)};`)
}

/** Returns, for the place of each run of backticks, the place of the next run of the same length. */
function partnersOf(line: string): ReadonlyMap<number, number> {
  const partners = new Map<number, number>()
  const nextOf = new Map<number, number>()
  for (const { 0: run, index } of [...line.matchAll(/`+/g)].reverse()) {
    const next = nextOf.get(run.length)
    if (next !== undefined) partners.set(index, next)
    nextOf.set(run.length, index)
  }
  return partners
}

/** Whether the lines may hold the row of dashes that makes a table. */
function mayHoldTable(lines: readonly string[]): boolean {
  return lines.some((line) => line.includes('-') && /^[\s>*+\d.)|:-]*$/.test(line))
}
