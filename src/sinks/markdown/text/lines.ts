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
 * Returns at most that many lines of the text: `tail` lines of its end, a third by default, and the others of its start, with the number of
 * lines that are left out. A line of more than `lineLength` characters is cut too. A note never takes more place than the part that it replaces.
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
