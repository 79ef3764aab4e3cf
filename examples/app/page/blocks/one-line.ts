const LENGTH = 160

/** Returns the start of a text on one line, at most 160 UTF-16 units. */
export function oneLine(text: string): string {
  return text
    .slice(0, 2 * LENGTH)
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, LENGTH)
}
