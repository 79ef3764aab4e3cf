const ESCAPE = '\u001b'
/** A control sequence or one character. */
const TOKENS = new RegExp(`${ESCAPE}\\[[?\\d;]*[A-Za-z]|.`, 'gsu')

/** Emulates the features of a terminal that the command uses: wrapping, scrolling and a few control sequences. */
export class Emulator {
  /** The control sequences that the emulator does not know. */
  readonly unknown: string[] = []
  /** The number of lines that left the screen at the top. */
  scrolled = 0
  isWrapping = true
  isColoured = false
  hasColoured = false
  readonly #rows: number
  #columns: number
  #lines: string[][] = [[]]
  #row = 0
  #column = 0

  constructor({ rows, columns }: { readonly rows: number; readonly columns: number }) {
    this.#rows = rows
    this.#columns = columns
  }

  /** The lines on the screen, without the blank lines at its end. */
  get lines(): readonly string[] {
    const lines = this.#lines.map((line) => Array.from(line, (cell) => cell ?? ' ').join(''))
    return lines.slice(0, lines.findLastIndex((line) => line !== '') + 1)
  }

  write(text: string): void {
    for (const [token] of text.matchAll(TOKENS)) {
      if (token.startsWith(ESCAPE)) this.#runSequence(token)
      else if (token === '\n') this.#lineFeed()
      else if (token === '\r') this.#column = 0
      else if (/\p{Cc}/u.test(token)) this.unknown.push(token)
      else this.#put(token)
    }
  }

  /** Changes the width. Lines that are too long wrap, as most terminals do it. */
  resize(columns: number): void {
    this.#columns = columns
    const wrapped = this.#lines.map((line) =>
      Array.from({ length: Math.max(1, Math.ceil(line.length / columns)) }, (_, at) =>
        line.slice(at * columns, (at + 1) * columns),
      ),
    )
    this.#row = wrapped.slice(0, this.#row).flat().length
    this.#lines = wrapped.flat()
    for (; this.#row >= this.#rows; this.#row -= 1) {
      this.#lines.shift()
      this.scrolled += 1
    }
  }

  #runSequence(sequence: string): void {
    if (sequence === '\u001b[?7l') this.isWrapping = false
    else if (sequence === '\u001b[?7h') this.isWrapping = true
    else if (sequence === '\u001b[J') this.#clearBelow()
    else if (sequence === '\u001b[K') this.#line.length = this.#column
    else if (sequence.endsWith('A'))
      this.#row = Math.max(0, this.#row - Number.parseInt(sequence.slice(2), 10))
    else if (sequence.endsWith('m')) this.#setColour(sequence)
    else this.unknown.push(sequence)
  }

  #setColour(sequence: string): void {
    this.isColoured = !['\u001b[22m', '\u001b[39m'].includes(sequence)
    this.hasColoured ||= this.isColoured
  }

  #clearBelow(): void {
    this.#lines = this.#lines.slice(0, this.#row + 1)
    this.#line.length = this.#column
  }

  /** A terminal that is not in raw mode moves to the start of the next line. */
  #lineFeed(): void {
    this.#column = 0
    if (this.#row < this.#rows - 1) this.#row += 1
    else {
      this.#lines.shift()
      this.scrolled += 1
    }
  }

  #put(character: string): void {
    if (this.#column >= this.#columns && this.isWrapping) this.#lineFeed()
    this.#line[Math.min(this.#column, this.#columns - 1)] = character
    this.#column = Math.min(this.#column + 1, this.#columns)
  }

  get #line(): string[] {
    while (this.#lines.length <= this.#row) this.#lines.push([])
    return this.#lines[this.#row] ?? []
  }
}
