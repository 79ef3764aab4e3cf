/** In UTF-16 units. */
const MAX_LENGTH = 50_000

/** Quotes and lists around a line. A parser visits each of them on each line. */
const MAX_CONTAINERS = 50

/** Lines that may underline a heading. The time of a parser grows with the square of their number. */
const MAX_UNDERLINES = 300

/** Marks × length, over the paragraphs: a parser may look from each mark to the end of the paragraph. */
const MAX_STEPS = 30_000_000

/** Whether a parser of Markdown may need seconds for the text, or overflow its stack. Such a text is shown as it is. */
export function isCostlyMarkdown(text: string): boolean {
  return (
    text.length > MAX_LENGTH ||
    hasDeepLine(text) ||
    countOf(text, UNDERLINE) > MAX_UNDERLINES ||
    stepsIn(text) > MAX_STEPS
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

/** Only a blank line ends a paragraph for sure, so a block of code or a table counts as one. */
function stepsIn(text: string): number {
  return text
    .split(/\n[ \t]*\r?\n/)
    .reduce((steps, paragraph) => steps + countOf(paragraph, MARK) * paragraph.length, 0)
}

const MARK = /[`*_~[\]<>!&@:|\\(]|www/g

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}
