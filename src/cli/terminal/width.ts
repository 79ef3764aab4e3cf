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
