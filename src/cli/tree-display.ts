import type { SessionConversationState } from '../state/session.ts'
import type { Screen } from './terminal/terminal.ts'
import { renderTree } from './tree-text.ts'

/** The terminal cuts long lines, so that each line of text takes one row. */
const NO_WRAP = '\u001b[?7l'
const WRAP = '\u001b[?7h'
const CLEAR_BELOW = '\u001b[J'

/** The shortest time between two draws, in ms. */
const MIN_INTERVAL = 100

/** The wait after a draw is this many times as long as the draw, so a large tree does not stop the reading. */
const WAIT_FACTOR = 10

/** Draws a view of a running session. Each draw overwrites the last one. */
export class LiveDisplay {
  readonly #screen: Screen
  readonly #render: (state: SessionConversationState) => readonly string[]
  #lineCount = 0
  #lastDrawAt = Number.NEGATIVE_INFINITY
  #interval = MIN_INTERVAL
  #cancelTimer: (() => void) | undefined

  constructor(screen: Screen, render: (state: SessionConversationState) => readonly string[]) {
    this.#screen = screen
    this.#render = render
  }

  draw(state: SessionConversationState): void {
    const now = this.#screen.now()
    this.#cancelTimer?.()
    const wait = this.#lastDrawAt + this.#interval - now
    // No further state may arrive for a long time, so a timer draws a state that arrives too early.
    this.#cancelTimer = wait > 0 ? this.#screen.setTimer?.(() => this.draw(state), wait) : undefined
    if (wait > 0) return
    this.#lastDrawAt = now
    const lines = fitToRows(this.#render(state), this.#screen.rows - 1)
    const drawn = lines.length === 0 ? '' : `${NO_WRAP}${lines.join('\n')}${WRAP}\n`
    if (this.#rewind() + drawn !== '') this.#screen.write(this.#rewind() + drawn)
    this.#lineCount = lines.length
    this.#interval = Math.max(MIN_INTERVAL, WAIT_FACTOR * (this.#screen.now() - now))
  }

  /** Removes the view, so that the next output takes its place. */
  clear(): void {
    this.#cancelTimer?.()
    if (this.#lineCount > 0) this.#screen.write(this.#rewind())
    this.#lineCount = 0
  }

  #rewind(): string {
    return this.#lineCount === 0 ? '' : `\u001b[${this.#lineCount}A\r${CLEAR_BELOW}`
  }
}

/** Draws the tree of a running session. */
export class TreeDisplay extends LiveDisplay {
  constructor(screen: Screen, isStyled: boolean) {
    super(screen, (state) => renderTree(state, isStyled))
  }
}

/** Cuts the lines to the rows of the screen, because a terminal cannot overwrite lines above its first row. */
function fitToRows(lines: readonly string[], rows: number): readonly string[] {
  if (lines.length <= rows) return lines
  const shown = Math.max(0, rows - 1)
  return [...lines.slice(0, shown), `… ${lines.length - shown} more lines`]
}
