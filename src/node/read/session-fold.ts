import type { SessionEvent } from '../../events/event.ts'
import type { ReducerIssue } from '../../reducer/issue.ts'
import { foldSessionEvents } from '../../reducer/reduce.ts'
import type { Entry } from '../../session/input/entries.ts'
import { IssueCounter } from '../../session/issue-counter.ts'
import type { Reader } from '../../session/reader.ts'
import type { Ending, SourceIssue } from '../../session/source.ts'
import { createInitialConversationState, MAIN, type SessionConversationState } from '../../state/session.ts'

/** A session that was read to its end. */
export interface SessionReading {
  readonly state: SessionConversationState
  readonly issues: readonly (SourceIssue | ReducerIssue)[]
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

/** A reducer issue with the number of its repetitions, if there are any. */
type CountedIssue = ReducerIssue & { readonly count?: number }

/** Folds the events of a reader. Each list of entries is one batch. */
export class SessionFold {
  readonly #reader: Reader
  readonly #observer: ReadingObserver
  /** A block with a missing start gives the same issue for each of its deltas. */
  readonly #issues = new IssueCounter<CountedIssue>((issue) => issue)
  #state = createInitialConversationState()
  #isEmpty = true

  constructor(reader: Reader, observer: ReadingObserver) {
    this.#reader = reader
    this.#observer = observer
  }

  addEntries(entries: readonly Entry[]): void {
    if (entries.length > 0) this.#isEmpty = false
    this.#fold(entries.flatMap((entry) => this.#reader.read(entry)))
  }

  /** Throws a `TranscriptError` if the source knows no entry. */
  end(): InputReading {
    const { events, issues, ending } = this.#reader.end()
    this.#fold(events)
    const isCut = events.some(isInterruptionOfMain)
    return {
      state: this.#state,
      issues: [...issues, ...this.#issues.issues],
      ending,
      isEmpty: this.#isEmpty,
      isCut,
    }
  }

  #fold(events: readonly SessionEvent[]): void {
    const { state, issues } = foldSessionEvents(this.#state, events)
    this.#state = state
    for (const issue of issues) this.#issues.add(issue)
    this.#observer.onEvents?.(events)
    this.#observer.onState?.(state)
  }
}

function isInterruptionOfMain(event: SessionEvent): boolean {
  const isIdle = event.type === 'session:idle' && (event.conversationId ?? MAIN) === MAIN
  return isIdle && event.outcome === 'interrupted'
}
