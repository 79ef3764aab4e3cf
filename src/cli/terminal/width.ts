/** Measures, fills and cuts texts of one line by the columns that they need. */
export interface Widths {
  /** Returns the columns that a text needs. */
  widthOf(text: string): number
  /** Fills a text with spaces up to that width. */
  pad(text: string, width: number): string
  /** Cuts a text to that width. The last character of a cut text is `…`. */
  cut(text: string, width: number): string
}

/** Latin letters and usual punctuation. */
const PLAIN = /^[\u0020-\u007e\u00a1-\u00ac\u00ae-\u02af\u2010-\u2027\ufffd]*$/

/** Whether each character is one column wide, and no character belongs to a style. */
export function isPlain(text: string): boolean {
  return PLAIN.test(text)
}

const plainWidths: Widths = {
  widthOf: (text) => text.length,
  pad: (text, width) => text.padEnd(width),
  cut: (text, width) => (text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1)).trimEnd()}…`),
}

/** Returns what measures these texts and parts of them. Most texts are plain, and the rules of all others take as long to load as a list does. */
export async function widthsFor(texts: Iterable<string>): Promise<Widths> {
  for (const text of texts) if (!isPlain(text)) return (await import('./wrap.ts')).allWidths
  return plainWidths
}
