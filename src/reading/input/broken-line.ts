/**
 * Stands among the messages of a text in the place of a line that is not JSON. A source may take its content from
 * another line that has it too.
 */
export class BrokenLine {
  /** A message may be a proxy: it has no private field, and no trap sees the question. */
  static isOne(value: unknown): value is BrokenLine {
    return typeof value === 'object' && value !== null && #mark in value
  }

  readonly #mark = true

  /** The agent of the line, if the text has several transcripts. Undefined for main. */
  readonly transcript: string | undefined

  constructor(transcript: string | undefined) {
    this.transcript = transcript
  }
}
