import { oneLine } from './text.ts'

const CLEAR_LINE = '\r\u001b[K'

/** Says on one line how far a long input has been read, and takes it away again. */
export class Progress {
  readonly #path: string
  readonly #write: (text: string) => unknown
  #said = ''

  constructor(path: string, write: (text: string) => unknown) {
    this.#path = oneLine(path)
    this.#write = write
  }

  /** `part` is between 0 and 1. */
  report(part: number): void {
    const text = `${this.#path}: ${Math.floor(100 * part)} % read`
    if (text === this.#said) return
    this.#write(`${CLEAR_LINE}${text}`)
    this.#said = text
  }

  clear(): void {
    if (this.#said !== '') this.#write(CLEAR_LINE)
    this.#said = ''
  }
}
