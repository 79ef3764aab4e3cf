import type { SessionConversationState } from '../state/session.ts'
import { renderTree } from './view.ts'

/** A terminal that can be written over. */
export interface Screen {
  write(text: string): unknown
  readonly rows: number
  /** Milliseconds from some moment on. */
  now(): number
  /** Does the work after so many milliseconds, unless what it returns is called before. */
  setTimer?(work: () => void, milliseconds: number): () => void
}

/** Long lines are cut, so that a line of text is one of the screen. */
const NO_WRAP = '\u001b[?7l'
const WRAP = '\u001b[?7h'
const CLEAR_BELOW = '\u001b[J'

/** At most so often is the tree drawn, in ms. */
const INTERVAL = 100

/** Drawing takes at most a part in so many of the time. */
const SHARE = 10

/** Draws the tree of a session that is still going on, each time over the last one. */
export class TreeDisplay {
  readonly #screen: Screen
  readonly #isStyled: boolean
  #drawnLines = 0
  #drawnAt = Number.NEGATIVE_INFINITY
  #interval = INTERVAL
  #cancel: (() => void) | undefined

  constructor(screen: Screen, isStyled: boolean) {
    this.#screen = screen
    this.#isStyled = isStyled
  }

  draw(state: SessionConversationState): void {
    const now = this.#screen.now()
    this.#cancel?.()
    const wait = this.#drawnAt + this.#interval - now
    // What comes too soon is drawn in time: nothing more may come for long.
    this.#cancel = wait > 0 ? this.#screen.setTimer?.(() => this.draw(state), wait) : undefined
    if (wait > 0) return
    this.#drawnAt = now
    const lines = fitting(renderTree(state, this.#isStyled), this.#screen.rows - 1)
    this.#screen.write(`${this.#rewind()}${NO_WRAP}${lines.join('\n')}${WRAP}\n`)
    this.#drawnLines = lines.length
    // A large tree takes its time; reading must go on in between.
    this.#interval = Math.max(INTERVAL, SHARE * (this.#screen.now() - now))
  }

  /** Takes the tree away again; what is written next stands in its place. */
  clear(): void {
    this.#cancel?.()
    if (this.#drawnLines > 0) this.#screen.write(this.#rewind())
    this.#drawnLines = 0
  }

  #rewind(): string {
    return this.#drawnLines === 0 ? '' : `\u001b[${this.#drawnLines}A\r${CLEAR_BELOW}`
  }
}

/** What does not fit on the screen could not be written over. */
function fitting(lines: readonly string[], rows: number): readonly string[] {
  if (lines.length <= rows) return lines
  const shown = Math.max(0, rows - 1)
  return [...lines.slice(0, shown), `… ${lines.length - shown} more lines`]
}
