import type { SessionEvent } from '../events/event.ts'
import type { Entry } from '../formats/entries.ts'
import type { Reader } from '../formats/reader.ts'
import type { Ending, SourceIssue } from '../formats/source.ts'
import type { ReducerIssue } from '../reducer/issue.ts'
import { foldSessionEvents } from '../reducer/reduce.ts'
import { createInitialConversationState, type SessionConversationState } from '../state/session.ts'

/** A replayed session as the command has it. */
export interface Replay {
  readonly state: SessionConversationState
  readonly issues: readonly (SourceIssue | ReducerIssue)[]
  readonly ending: Ending
}

/** Who watches while an input is read. */
export interface ReplayObserver {
  onEvents?(events: readonly SessionEvent[]): void
  onState?(state: SessionConversationState): void
  /** How much of a long input has been read, from 0 to 1. */
  onProgress?(part: number): void
}

/** Folds what a reader gives, a run of entries as one change. */
export class ReplayRun {
  readonly #reader: Reader
  readonly #watcher: ReplayObserver
  readonly #issues = new Map<string, ReducerIssue & { readonly count?: number }>()
  #state = createInitialConversationState()

  constructor(reader: Reader, watcher: ReplayObserver) {
    this.#reader = reader
    this.#watcher = watcher
  }

  take(entries: readonly Entry[]): void {
    this.#fold(entries.flatMap((entry) => this.#reader.read(entry)))
  }

  end(): Replay {
    const { events, issues, ending } = this.#reader.end()
    this.#fold(events)
    return { state: this.#state, issues: [...issues, ...this.#issues.values()], ending }
  }

  #fold(events: readonly SessionEvent[]): void {
    const { state, issues } = foldSessionEvents(this.#state, events)
    this.#state = state
    for (const issue of issues) this.#count(issue)
    this.#watcher.onEvents?.(events)
    this.#watcher.onState?.(state)
  }

  /** What is met again and again, as the deltas of a block whose beginning was missed, is said once. */
  #count(issue: ReducerIssue): void {
    const key = JSON.stringify(issue)
    const before = this.#issues.get(key)
    this.#issues.set(key, before ? { ...issue, count: (before.count ?? 1) + 1 } : issue)
  }
}
