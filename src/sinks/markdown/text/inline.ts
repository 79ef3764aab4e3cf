import { showDirections } from '../../../redaction/printable.ts'

/** The marks of a line of Markdown that change what a program does with it. */
const MARKUP =
  /\\[!-/:-@[-`{-~]|`+|~{3,}|<https?:\/\/[^\s<>`|]*>|<(?=[A-Za-z/!?])|!(?=\[)|&(?:#\w+|lrm|rlm);/g

/**
 * Returns a line of Markdown without raw HTML, embedded images, and fences that a list or a note opens. Code within the line stays as it
 * is. A backtick without a partner is escaped, so that no program pairs it with one on another line. In a table, a bar ends a cell and
 * with it the code, so code with a bar loses its HTML there.
 */
export function safeLine(line: string, mayBeTable: boolean): string {
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
export function mayHoldTable(lines: readonly string[]): boolean {
  return lines.some((line) => line.includes('-') && /^[\s>*+\d.)|:-]*$/.test(line))
}
