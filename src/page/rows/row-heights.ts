import type { Row } from './row.ts'

/** The heights of rows that were never in the page, in CSS pixels. */
const ESTIMATES = { run: 48, other: 90 } as const

/** The places of the rows, in CSS pixels from the start of the list. */
export class RowHeights {
  readonly #known = new Map<string, number>()
  #rows: readonly Row[] = []
  #tops: readonly number[] = [0]
  #isStale = false

  get total(): number {
    return this.#tops.at(-1) ?? 0
  }

  /** Sets the rows. */
  place(rows: readonly Row[]): void {
    if (rows === this.#rows && !this.#isStale) return
    this.#rows = rows
    this.#isStale = false
    let top = 0
    this.#tops = [0, ...rows.map((row) => (top += this.#heightOf(row)))]
  }

  /** Sets the height of a row. Returns whether it has changed. */
  measure(key: string, height: number): boolean {
    if (Math.abs((this.#known.get(key) ?? -1) - height) < 0.5) return false
    this.#known.set(key, height)
    this.#isStale = true
    return true
  }

  topOf(index: number): number {
    return this.#tops[index] ?? this.total
  }

  /** Returns the index of the row at a place; the first or the last row for a place outside. */
  indexAt(top: number): number {
    let [low, high] = [0, Math.max(0, this.#rows.length - 1)]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if (this.topOf(middle) <= top) low = middle
      else high = middle - 1
    }
    return low
  }

  #heightOf({ key, type }: Row): number {
    return this.#known.get(key) ?? (type === 'run' ? ESTIMATES.run : ESTIMATES.other)
  }
}
