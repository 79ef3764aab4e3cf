import type { SessionEvent } from '../../events/event.ts'
import type { Architecture } from '../../programs/program.ts'
import type { Entry } from '../../session/input/entries.ts'
import { EntryReader } from '../../session/reader.ts'
import type { Ending, ReadIssue, Source } from '../../session/source.ts'
import { MAIN, type SessionConversationState } from '../../state/session.ts'

/** A session that was read to its end. */
export interface SessionReading {
  readonly state: SessionConversationState
  readonly issues: readonly ReadIssue[]
  readonly ending: Ending
}

/** An input that was read to its end. */
export interface InputReading extends SessionReading {
  readonly isEmpty: boolean
  /** The end of the input ended main's turn, and not the program. */
  readonly isCut: boolean
}

/** Functions that a reading calls while it reads an input. */
export interface ReadingObserver {
  onEvents?(events: readonly SessionEvent[]): void
  onState?(state: SessionConversationState): void
}

/** Reads the entries of an input. Each list of entries is one batch. */
export class SessionFold {
  readonly #reader: EntryReader
  readonly #observer: ReadingObserver
  #isEmpty = true

  constructor(source: Source, observer: ReadingObserver) {
    this.#reader = new EntryReader(source)
    this.#observer = observer
  }

  addEntries(entries: readonly Entry[]): void {
    if (entries.length > 0) this.#isEmpty = false
    this.#report(this.#reader.read(entries).events)
  }

  /** Throws a `TranscriptError` if the source knows no entry. `format` is the one that the caller chose. */
  end(format: Architecture | undefined): InputReading {
    this.#reader.refuseUnknown(format)
    const { events, ending } = this.#reader.end()
    this.#report(events)
    const { state } = this.#reader.session
    const isCut = events.some(isInterruptionOfMain)
    return { state, issues: this.#reader.issues, ending, isEmpty: this.#isEmpty, isCut }
  }

  #report(events: readonly SessionEvent[]): void {
    this.#observer.onEvents?.(events)
    this.#observer.onState?.(this.#reader.session.state)
  }
}

function isInterruptionOfMain(event: SessionEvent): boolean {
  const isIdle = event.type === 'session:idle' && (event.conversationId ?? MAIN) === MAIN
  return isIdle && event.outcome === 'interrupted'
}
