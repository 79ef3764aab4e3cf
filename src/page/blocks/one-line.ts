const LENGTH = 160

/** Returns the start of a text on one line, at most 160 UTF-16 units. */
export function oneLine(text: string): string {
  return text
    .slice(0, 2 * LENGTH)
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, LENGTH)
}

/** Returns the last line of a text that is not empty, at most its last 160 UTF-16 units. */
export function lastLine(text: string): string {
  const end = text.slice(-2 * LENGTH).trimEnd()
  return end.slice(end.lastIndexOf('\n') + 1).slice(-LENGTH)
}
