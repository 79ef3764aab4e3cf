import { MEASURE } from '../terminal/wrap.ts'
import type { View } from './view.ts'

/** Deeper agents share one margin. */
const MAX_MARGINS = 12

/** A text beside the margins has at least these columns. */
const MIN_TEXT = 24

/** The margins at the left of nested agents, and the blank lines between the parts. */
export class Margins {
  depth = 0
  readonly #view: View
  readonly #columns: number
  #isFirst = true
  #isAfterLine = false

  constructor(view: View, columns: number) {
    this.#view = view
    this.#columns = columns
  }

  /** The columns beside the margins. */
  get width(): number {
    return Math.min(MEASURE, this.#columns) - 2 * this.#shownDepth
  }

  get isTooDeep(): boolean {
    return this.depth >= this.#limit
  }

  get #limit(): number {
    return Math.max(1, Math.min(MAX_MARGINS, Math.floor((Math.min(MEASURE, this.#columns) - MIN_TEXT) / 2)))
  }

  get #shownDepth(): number {
    return Math.min(this.depth, this.#limit)
  }

  /** Begins the conversation of an agent. Its first part follows the agent's line at once. */
  open(): void {
    this.depth += 1
    this.#isFirst = true
  }

  close(): void {
    this.depth -= 1
    this.#isFirst = false
    this.#isAfterLine = false
  }

  /** Yields a part. Compact parts of one line follow each other without a blank line. */
  *part(lines: readonly string[], isCompact: boolean = false): Generator<string, void> {
    if (lines.length === 0) return
    const isLine = isCompact && lines.length === 1
    const bar = this.#view.paint('│', 'dim')
    const margin = `${bar} `.repeat(this.#shownDepth)
    const blank = margin.trimEnd()
    if (!this.#isFirst && !(isLine && this.#isAfterLine)) yield blank
    this.#isFirst = false
    this.#isAfterLine = isLine
    for (const line of lines) yield line === '' ? blank : margin + line
  }
}
