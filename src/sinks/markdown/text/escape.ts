/** Returns the text for HTML: no character of it is markup. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

/**
 * Returns one line of text for Markdown: no character of it is markup. An underscore within a word is none, and so is
 * the tilde of a path.
 */
export function escapeMarkdown(text: string): string {
  // An address takes a backslash with it, and a bracket after it would be live.
  const safe = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return safe.replace(/[\\`*[\]|!]|(?<!&)#|~(?!\/)|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, '\\$&')
}

/** Returns one line of text as code within a line. */
export function inlineCode(text: string): string {
  if (text.trim() === '') return ''
  const marks = '`'.repeat(longestRun(text) + 1)
  const space =
    text.startsWith('`') || text.endsWith('`') || (text.startsWith(' ') && text.endsWith(' ')) ? ' ' : ''
  return `${marks}${space}${text}${space}${marks}`
}

/** Returns the text as a block of code. The fence is longer than any in the text, so the text cannot end it. */
export function fence(text: string, language: string): string {
  const marks = '`'.repeat(Math.max(3, longestRun(text) + 1))
  return `${marks}${language}\n${text}\n${marks}`
}

/** Returns the length of the longest run of backticks. */
function longestRun(text: string): number {
  let longest = 0
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length)
  return longest
}

/** Returns the text on one line of at most that many characters. The last one of a cut text is `…`. */
export function oneLine(text: string, limit: number): string {
  // A limit on the input too, because the text may be very long.
  const line = text
    .slice(0, limit * 4)
    .replace(/\s+/g, ' ')
    .trim()
  const isCut = line.length > limit || text.length > limit * 4
  return isCut ? `${wholeCharacters(line.slice(0, limit - 1)).trimEnd()}…` : line
}

/** Returns the last lines with words that are no frames of a stack. A failed command says its reason there. */
export function lastLines(text: string, count: number): readonly string[] {
  return text
    .split('\n')
    .filter((line) => /[\p{L}\p{N}]/u.test(line) && !/^\s*at\s/.test(line))
    .slice(-count)
}

const MAX_LINE_LENGTH = 2_000

/**
 * Returns at most that many lines of the text: `tail` lines of its end, a third by default, and the others of its
 * start, with the number of lines that are left out. A line of more than `lineLength` characters is cut too. A note
 * never takes more place than the part that it replaces.
 */
export function shorten(
  text: string,
  limit: number,
  lineLength: number = MAX_LINE_LENGTH,
  tail: number = Math.floor(limit / 3),
): string {
  const all = text.trimEnd().split('\n')
  const cutLine = (line: string) => shortenLine(line, lineLength)
  // The note takes the place of one line. A limit of 0 hides every line.
  if (all.length <= limit + (limit > 0 ? 1 : 0)) return all.map(cutLine).join('\n')
  const first = all.slice(0, limit - tail)
  const last = tail === 0 ? [] : all.slice(-tail)
  const leftOut = all.length - limit
  return [...first, `… ${leftOut} ${leftOut === 1 ? 'line' : 'lines'} left out …`, ...last]
    .map(cutLine)
    .join('\n')
}

function shortenLine(line: string, limit: number): string {
  const kept = wholeCharacters(line.slice(0, limit))
  const leftOut = line.length - kept.length
  const note = ` … ${leftOut} characters left out …`
  return leftOut <= note.length ? line : kept + note
}

/** A cut may leave the first half of a character that has two UTF-16 units. */
function wholeCharacters(text: string): string {
  return text.replace(/[\ud800-\udbff]$/, '')
}
