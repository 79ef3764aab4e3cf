import { isEqual } from '../../core/json/equal.ts'
import type { SessionConversationState } from '../../core/state/session.ts'
import { isLogError } from '../log/log-error.ts'
import type { SessionLog } from '../log/session-log.ts'
import { ownSignals, pause, Wake } from '../signals.ts'
import type { PlacedState } from '../sync/snapshot.ts'
import { DAMAGED } from './hub-error.ts'
import type { HubSession } from './hub-session.ts'
import { isOutdated } from './hub-session.ts'
import { type HubSessionSummary, newestFirst, summaryOf } from './session-summary.ts'

/** A session changes with each word of a text. Its summary changes at most once in that time, in ms. */
const PAUSE_MS = 200

/** How often the list looks for sessions that other processes began, in ms. */
const LOOK_MS = 2000

interface ListOptions {
  readonly log: SessionLog
  readonly sessionOf: (id: string) => HubSession
  /** Whether other processes may write the log. */
  readonly isShared: boolean
}

/** The time in which somebody reads the list. */
interface Watch {
  readonly signal: AbortSignal
  readonly nextSignal: () => AbortSignal
}

/** A listed session. It keeps no state, because a log may have thousands of sessions. */
interface Entry {
  summary?: HubSessionSummary
  /** The state to show when the pause is over. */
  next?: { readonly state: SessionConversationState | undefined } | undefined
  timer?: ReturnType<typeof setTimeout> | undefined
  isFollowed?: boolean
}

/** The summaries of all sessions of a hub, while somebody reads them. */
export class SessionList {
  readonly #options: ListOptions
  readonly #entries = new Map<string, Entry>()
  readonly #listeners = new Set<(summary: HubSessionSummary) => void>()
  #watch: { readonly ended: AbortController; readonly first: Promise<void> } | undefined

  constructor(options: ListOptions) {
    this.#options = options
  }

  /** Takes a state that a session of this hub has reached, or its deletion. */
  readonly take = (id: string, state: SessionConversationState | undefined): void => {
    if (!this.#watch) return
    const entry = this.#entryOf(id)
    entry.next = { state }
    if (entry.timer === undefined) this.#show(id, entry)
  }

  /** Yields all sessions as one list, the newest first, and then each change as a list of one. */
  async *changes(signal?: AbortSignal): AsyncGenerator<readonly HubSessionSummary[], void> {
    const waiting = new Map<string, HubSessionSummary>()
    const news = new Wake()
    const listener = (summary: HubSessionSummary): void => {
      waiting.set(summary.id, summary)
      news.wake()
    }
    this.#listeners.add(listener)
    try {
      await this.#begin()
      waiting.clear()
      yield this.#all()
      while (!signal?.aborted) {
        const [next] = waiting.values()
        if (next) {
          waiting.delete(next.id)
          yield [next]
        } else await news.next({ signal })
      }
    } finally {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.#end()
    }
  }

  #all(): readonly HubSessionSummary[] {
    const summaries = [...this.#entries.values()].flatMap(({ summary }) => summary ?? [])
    return summaries.filter(({ isDeleted }) => !isDeleted).sort(newestFirst)
  }

  #entryOf(id: string): Entry {
    const entry = this.#entries.get(id) ?? {}
    this.#entries.set(id, entry)
    return entry
  }

  #show(id: string, entry: Entry): void {
    const { summary: before, next } = entry
    entry.next = undefined
    if (next?.state) this.#setSummary(entry, summaryOf(id, next.state))
    else if (before) this.#setSummary(entry, { ...before, isDeleted: true })
    if (entry.summary === before) return
    entry.timer = setTimeout(() => {
      entry.timer = undefined
      if (entry.next) this.#show(id, entry)
    }, PAUSE_MS)
  }

  #setSummary(entry: Entry, summary: HubSessionSummary): void {
    if (isEqual(summary, entry.summary)) return
    entry.summary = summary
    for (const listener of this.#listeners) listener(summary)
  }

  /** Resolves when every session of the log has its summary. */
  #begin(): Promise<void> {
    if (this.#watch) return this.#watch.first
    const ended = new AbortController()
    const watch = { signal: ended.signal, nextSignal: ownSignals(ended.signal) }
    const first = this.#look(watch)
    this.#watch = { ended, first }
    if (this.#options.isShared) first.then(() => this.#lookAgain(watch)).catch(() => {})
    first.catch(() => this.#end())
    return first
  }

  #end(): void {
    this.#watch?.ended.abort()
    this.#watch = undefined
    for (const { timer } of this.#entries.values()) clearTimeout(timer)
    this.#entries.clear()
  }

  /** Reads the sessions that the list does not have. */
  async #look({ signal, nextSignal }: Watch): Promise<void> {
    const { log, isShared } = this.#options
    const found: string[] = []
    for await (const id of log.sessions()) found.push(id)
    for (const id of found) {
      const entry = this.#entries.get(id)
      if (signal.aborted || entry?.isFollowed) continue
      const placed = await this.#placedOf(id)
      if (signal.aborted || !placed || placed.seq === 0) continue
      const { state, seq } = placed
      this.take(id, state)
      if (isShared) void this.#follow(id, seq, nextSignal())
    }
  }

  /** A session that cannot be read is in the list with the reason, and hides no other one. */
  async #placedOf(id: string): Promise<PlacedState | undefined> {
    try {
      return await this.#options.sessionOf(id).current()
    } catch (error) {
      if (isLogError(error, ['closed'])) throw error
      this.#setSummary(this.#entryOf(id), { id, status: 'failed', facts: {}, agents: 0, error: DAMAGED })
      return undefined
    }
  }

  async #lookAgain(watch: Watch): Promise<void> {
    const { signal } = watch
    while (!signal.aborted) {
      await pause(LOOK_MS, signal)
      // The next look comes soon, and a log that is closed has no sessions.
      if (!signal.aborted) await this.#look(watch).catch(() => {})
    }
  }

  /** Other processes write the session: it reads on, and so shows its state. */
  async #follow(id: string, afterSeq: number, signal: AbortSignal): Promise<void> {
    const { log, sessionOf } = this.#options
    const entry = this.#entryOf(id)
    entry.isFollowed = true
    let known = afterSeq
    try {
      for await (const { seq } of log.follow(id, afterSeq, { signal }))
        if (seq > known) known = (await sessionOf(id).current()).seq
    } catch (error) {
      // Deleted, or begun again: the session says which.
      if (isOutdated(error) && !signal.aborted)
        await sessionOf(id)
          .current()
          .catch(() => {})
    } finally {
      entry.isFollowed = false
    }
  }
}
