import type { SessionConversationState } from '../core/state/session.ts'
import type { Screen } from './terminal/terminal.ts'
import { cutStyled, widthOf } from './terminal/wrap.ts'
import { renderTree } from './tree-text.ts'

/** A line in the last column must not wrap, also where a terminal counts the columns of a character in another way. */
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
  /** The widths of the lines that are on the screen. */
  #widths: readonly number[] = []
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
    const { rows, columns = Number.POSITIVE_INFINITY } = this.#screen
    const lines = fitToRows(this.#render(state), rows - 1).map((line) => cutStyled(line, columns))
    const drawn = lines.length === 0 ? '' : `${NO_WRAP}${lines.join('\n')}${WRAP}\n`
    if (this.#rewind() + drawn !== '') this.#screen.write(this.#rewind() + drawn)
    this.#widths = lines.map(widthOf)
    this.#interval = Math.max(MIN_INTERVAL, WAIT_FACTOR * (this.#screen.now() - now))
  }

  /** Removes the view, so that the next output takes its place. */
  clear(): void {
    this.#cancelTimer?.()
    if (this.#widths.length > 0) this.#screen.write(this.#rewind())
    this.#widths = []
  }

  /** A terminal that has become narrower wraps the lines that it shows, so that a line may take several rows. */
  #rewind(): string {
    const { columns = Number.POSITIVE_INFINITY } = this.#screen
    const rows = this.#widths.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / columns)), 0)
    return rows === 0 ? '' : `\u001b[${rows}A\r${CLEAR_BELOW}`
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
