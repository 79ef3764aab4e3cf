import type { SessionEvent } from '../events/event.ts'
import type { Entry } from '../formats/entries.ts'
import { IssueCounter } from '../formats/issue-counter.ts'
import type { Reader } from '../formats/reader.ts'
import type { Ending, SourceIssue } from '../formats/source.ts'
import type { ReducerIssue } from '../reducer/issue.ts'
import { foldSessionEvents } from '../reducer/reduce.ts'
import { createInitialConversationState, type SessionConversationState } from '../state/session.ts'
import { InputError } from './input/read-error.ts'

/** The result of a replayed session. */
export interface Replay {
  readonly state: SessionConversationState
  readonly issues: readonly (SourceIssue | ReducerIssue)[]
  readonly ending: Ending
}

/** Functions that the replay calls while it reads an input. */
export interface ReplayObserver {
  onEvents?(events: readonly SessionEvent[]): void
  onState?(state: SessionConversationState): void
  /** Gets the part of a long input that was read, from 0 to 1. */
  onProgress?(part: number): void
}

/** A reducer issue with the number of its repetitions, if there are any. */
type CountedIssue = ReducerIssue & { readonly count?: number }

/** Folds the events of a reader. Each list of entries is one batch. */
export class ReplayRun {
  readonly #reader: Reader
  readonly #observer: ReplayObserver
  /** A block with a missing start gives the same issue for each of its deltas. */
  readonly #issues = new IssueCounter<CountedIssue>((issue) => issue)
  #state = createInitialConversationState()
  #isEmpty = true

  constructor(reader: Reader, observer: ReplayObserver) {
    this.#reader = reader
    this.#observer = observer
  }

  addEntries(entries: readonly Entry[]): void {
    if (entries.length > 0) this.#isEmpty = false
    this.#fold(entries.flatMap((entry) => this.#reader.read(entry)))
  }

  /** Throws an `InputError` if there was no entry, and a `TranscriptError` if the source knows none. */
  end(): Replay {
    // A library's caller may begin with nothing. A user who passes nothing has a wrong path, or a program that failed.
    if (this.#isEmpty) throw new InputError('empty input')
    const { events, issues, ending } = this.#reader.end()
    this.#fold(events)
    return { state: this.#state, issues: [...issues, ...this.#issues.issues], ending }
  }

  #fold(events: readonly SessionEvent[]): void {
    const { state, issues } = foldSessionEvents(this.#state, events)
    this.#state = state
    for (const issue of issues) this.#issues.add(issue)
    this.#observer.onEvents?.(events)
    this.#observer.onState?.(state)
  }
}
