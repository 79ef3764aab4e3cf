import { oneLine } from './text.ts'

const CLEAR_LINE = '\r\u001b[K'

/** Shows on one line which part of a long input was read, and removes the line at the end. */
export class Progress {
  readonly #path: string
  readonly #write: (text: string) => unknown
  #shown = ''

  constructor(path: string, write: (text: string) => unknown) {
    this.#path = oneLine(path)
    this.#write = write
  }

  /** `part` is between 0 and 1. */
  report(part: number): void {
    const text = `${this.#path}: ${Math.floor(100 * part)} % read`
    if (text === this.#shown) return
    this.#write(`${CLEAR_LINE}${text}`)
    this.#shown = text
  }

  clear(): void {
    if (this.#shown !== '') this.#write(CLEAR_LINE)
    this.#shown = ''
  }
}
