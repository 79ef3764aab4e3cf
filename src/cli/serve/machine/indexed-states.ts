import type { SessionConversationState } from '../../../core/state/session.ts'
import type { SessionSummary } from '../../../node/list/session-summary.ts'
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
}

interface AskedSession {
  readonly id: string
  /** The number of the last event in the log, which keeps its events when a connection breaks. */
  seq: number
  /** Whether the log has a state, and each change since. False until the first state is written. */
  isFollowed: boolean
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
    this.#follow()
    const asked = this.#asked.get(session.path) ?? { id, seq: 0, isFollowed: false }
    this.#asked.set(session.path, asked)
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

  /** One after the other: a state that was read earlier is never published later. */
  #publish(session: SessionSummary): Promise<void> {
    const work = () => this.#write(session)
    const next = this.#written.then(work, work)
    this.#written = next
    return next
  }

  /** Replaces what readers have of a session by its state now. */
  async #write(session: SessionSummary): Promise<void> {
    const asked = this.#asked.get(session.path)
    const read = await (await this.#open()).read(session)
    if (!asked || !read) return
    const { id } = asked
    const append = async () => {
      asked.seq = await this.#log.append(id, [STARTS_OVER], { expectedSeq: asked.seq })
    }
    await append()
    const placed = { state: this.#options.shown(read), epoch: crypto.randomUUID(), seq: asked.seq }
    await this.#log.saveSnapshot(id, snapshot(placed), { trim: true })
    await append()
    asked.isFollowed = true
  }
}
