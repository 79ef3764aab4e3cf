import { timeInMs } from '../../../core/json/lists.ts'
import type { SessionConversationState } from '../../../core/state/session.ts'
import type { SessionSummary } from '../../../node/list/session-summary.ts'
import { continued, goesOnUntil } from '../../../node/session-index/kept-row.ts'
import type { SessionIndex } from '../../../node/session-index/session-questions.ts'
import { createSessionHub } from '../../../server/hub/session-hub.ts'
import { STARTS_OVER } from '../../../server/log/advance.ts'
import { createMemoryLog } from '../../../server/log/memory-log.ts'
import { snapshot } from '../../../server/sync/snapshot.ts'

interface StatesOptions {
  /** Opens an index whose changes nobody else takes. */
  readonly openIndex: () => Promise<SessionIndex>
  /** Returns a state as readers see it. */
  readonly shown: (state: SessionConversationState) => SessionConversationState
  /** Ends the following of all sessions. */
  readonly signal: AbortSignal
  /** Returns the time in ms since the epoch. */
  readonly now: () => number
  /** A session that nobody reads any more stays so long in memory, in ms. The default is 30,000. */
  readonly lingerMs?: number
}

/** A page that is loaded again finds its session ready. */
const LINGER_MS = 30_000

/** A time of the session may be in the future. */
const HOUR_MS = 3_600_000

interface AskedSession {
  readonly id: string
  /** The number of the last event in the log, which keeps its events when a connection breaks. */
  seq: number
  /** Whether the log has a state, and each change since. False until the first state is written. */
  isFollowed: boolean
  readers: number
  linger: NodeJS.Timeout | undefined
  /** The time at which a session that goes on ends if nothing comes. */
  ending: NodeJS.Timeout | undefined
}

/** Sends the sessions of an index to their readers: each state whole, and again after a machine has pushed it. */
export class IndexedStates {
  readonly #options: StatesOptions
  readonly #log = createMemoryLog()
  readonly #hub = createSessionHub({ log: this.#log })
  /** The sessions that were asked for, by their paths. */
  readonly #asked = new Map<string, AskedSession>()
  #index: Promise<SessionIndex> | undefined
  #isFollowing = false
  #written: Promise<unknown> = Promise.resolve()

  constructor(options: StatesOptions) {
    this.#options = options
  }

  /** Answers with the events of a session. The last part of the address is the id. */
  async answer(request: Request, id: string, session: SessionSummary): Promise<Response> {
    // Its reader has gone, and nobody would end the following.
    if (request.signal.aborted) return new Response()
    this.#follow()
    const { path } = session
    const known = this.#asked.get(path)
    const asked = known ?? { id, seq: 0, isFollowed: false, readers: 0, linger: undefined, ending: undefined }
    this.#asked.set(path, asked)
    clearTimeout(asked.linger)
    asked.readers += 1
    request.signal.addEventListener('abort', () => this.#leave(path, asked))
    if (!asked.isFollowed) await this.#publish(session)
    return this.#hub.fetch(request)
  }

  async close(): Promise<void> {
    await (await this.#index)?.close()
  }

  #open(): Promise<SessionIndex> {
    this.#index ??= this.#options.openIndex()
    return this.#index
  }

  /** A connection that breaks ends the following. The next reader starts it again, and reads all sessions anew. */
  #follow(): void {
    if (this.#isFollowing) return
    this.#isFollowing = true
    this.#followChanges().catch(() => {
      this.#isFollowing = false
      for (const asked of this.#asked.values()) asked.isFollowed = false
    })
  }

  async #followChanges(): Promise<void> {
    const index = await this.#open()
    for await (const row of index.watch({ signal: this.#options.signal }))
      if (this.#asked.has(row.path) && !row.isRemoved) await this.#publish(row)
  }

  #leave(path: string, asked: AskedSession): void {
    asked.readers -= 1
    if (asked.readers > 0) return
    const { lingerMs = LINGER_MS } = this.#options
    asked.linger = setTimeout(() => this.#forget(path, asked), lingerMs).unref()
  }

  /** Whoever opens the session again gets it anew. */
  #forget(path: string, asked: AskedSession): void {
    if (this.#asked.get(path) !== asked) return
    this.#asked.delete(path)
    clearTimeout(asked.ending)
    this.#inTurn(() => this.#hub.delete(asked.id)).catch(() => {})
  }

  #publish(session: SessionSummary): Promise<void> {
    return this.#inTurn(() => this.#write(session))
  }

  /** One after the other: a state that was read earlier is never published later. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const next = this.#written.then(work, work)
    this.#written = next
    return next
  }

  /** Replaces what readers have of a session by its state now. */
  async #write(session: SessionSummary): Promise<void> {
    const asked = this.#asked.get(session.path)
    const read = await (await this.#open()).read(session)
    // Nobody reads it any more.
    if (!asked || !read || this.#asked.get(session.path) !== asked) return
    const { id } = asked
    const append = async () => {
      asked.seq = await this.#log.append(id, [STARTS_OVER], { expectedSeq: asked.seq })
    }
    await append()
    const leftMs = goesOnUntil(read, timeInMs(session.updatedAt) || 0) - this.#options.now()
    clearTimeout(asked.ending)
    if (leftMs > 0)
      asked.ending = setTimeout(
        () => this.#publish(session).catch(() => {}),
        Math.min(leftMs, HOUR_MS),
      ).unref()
    const state = this.#options.shown(leftMs > 0 ? continued(read) : read)
    const placed = { state, epoch: crypto.randomUUID(), seq: asked.seq }
    await this.#log.saveSnapshot(id, snapshot(placed), { trim: true })
    await append()
    asked.isFollowed = true
  }
}
