import { TranslationContext } from '../../session/context.ts'
import type { OpencodeNotes } from './notes.ts'

/** The translation of a batch of OpenCode's messages into session events. */
export class OpencodeContext extends TranslationContext<OpencodeNotes> {
  /** The sessions whose parent, call or tree became known since the last release of buffered events. */
  readonly #revealed = new Set<string>()
  #revealsAll = false

  /** Notes that the parent or the call of a session is known now, so its place and those below it may be known. */
  reveal(sessionId: string): void {
    this.#revealed.add(sessionId)
  }

  /** Notes that the main session is known now, so the place of any session may be known. */
  revealAll(): void {
    this.#revealsAll = true
  }

  get hasRevealed(): boolean {
    return this.#revealsAll || this.#revealed.size > 0
  }

  /** Takes the sessions that were revealed since the last call. Undefined stands for all sessions. */
  takeRevealed(): readonly string[] | undefined {
    const revealed = this.#revealsAll ? undefined : [...this.#revealed]
    this.#revealsAll = false
    this.#revealed.clear()
    return revealed
  }
}
