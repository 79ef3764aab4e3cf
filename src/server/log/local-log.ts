import type { SessionEvent } from '../../core/events/event.ts'
import { Wake } from '../signals.ts'
import type { Snapshot } from '../sync/snapshot.ts'
import {
  checkAcquire,
  checkAppend,
  checkGeneration,
  checkSeq,
  checkSessionId,
  checkSnapshot,
} from './arguments.ts'
import { type Lease, releaseLease, requestLease } from './lease.ts'
import { LogError, lostEvents, oldGeneration, trimmed, wrongSeq } from './log-error.ts'
import type { AppendOptions, LoggedEvent, SessionLog, SnapshotOptions } from './session-log.ts'

/** Opens the sessions of a log. */
interface LocalStorage {
  open(sessionId: string): Promise<SessionStorage>
  /** Returns the ids of the sessions that are kept. */
  sessions(): AsyncIterable<string>
  close(): Promise<void>
}

/** Options of a log in this process. */
export interface LocalLogOptions {
  /** Returns the time in epoch milliseconds. The default is `Date.now`. */
  readonly now?: () => number
}

/** The most sessions that stay open, so that ids that somebody only asks for cost nothing. */
const OPEN_SESSIONS = 256

/** The most events that are read at once for several readers. A slow reader keeps them until it has taken them. */
const SHARED_EVENTS = 16

/** A log that one process has for itself: its calls for one session run one after the other. */
export class LocalLog implements SessionLog {
  readonly #storage: LocalStorage
  readonly #now: () => number
  readonly #sessions = new Map<string, Promise<SessionStorage>>()
  /** The end of the last call for a session. */
  readonly #calls = new Map<string, Promise<unknown>>()
  readonly #changes = new Changes()
  /** The next events for the readers of one place, until they are read. */
  readonly #shared = new Map<string, Promise<readonly LoggedEvent[] | undefined>>()
  #isClosed = false

  constructor(storage: LocalStorage, { now = Date.now }: LocalLogOptions = {}) {
    this.#storage = storage
    this.#now = now
  }

  async append(sessionId: string, events: readonly SessionEvent[], options: AppendOptions): Promise<number> {
    checkAppend(sessionId, events, options)
    const { expectedSeq, generation } = options
    const seq = await this.#inTurn(sessionId, async (session) => {
      checkLease(sessionId, session, generation)
      if (session.lastSeq !== expectedSeq) throw wrongSeq(sessionId, expectedSeq, session.lastSeq)
      if (events.length > 0 && !(await session.append(events)))
        throw wrongSeq(sessionId, expectedSeq, session.lastSeq)
      // The last number of the session may be greater: another process may have appended meanwhile.
      return expectedSeq + events.length
    })
    this.#changes.announce(sessionId)
    return seq
  }

  async *read(sessionId: string, afterSeq: number): AsyncGenerator<LoggedEvent, void> {
    checkSessionId(sessionId)
    checkSeq('afterSeq', afterSeq)
    yield* await this.#inTurn(sessionId, (session) => eventsOf(session, sessionId, afterSeq))
  }

  /**
   * Returns the next events, read once for all readers of the same place: each of a thousand readers would read the file,
   * and the next append would wait for all of them. Undefined if they are too many to keep.
   */
  #sharedAfter(sessionId: string, afterSeq: number): Promise<readonly LoggedEvent[] | undefined> {
    checkSessionId(sessionId)
    checkSeq('afterSeq', afterSeq)
    const key = `${afterSeq} ${sessionId}`
    const shared =
      this.#shared.get(key) ??
      this.#inTurn(sessionId, async (session) => {
        const isLong = session.lastSeq - afterSeq > SHARED_EVENTS
        const events = isLong ? undefined : await collected(await eventsOf(session, sessionId, afterSeq))
        // In turn, because a reader that comes after the next append needs its events.
        this.#shared.delete(key)
        return events
      })
    this.#shared.set(key, shared)
    shared.catch(() => this.#shared.delete(key))
    return shared
  }

  async *follow(
    sessionId: string,
    afterSeq: number,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): AsyncGenerator<LoggedEvent, void> {
    let seq = afterSeq
    const watch = this.#changes.watch(sessionId)
    try {
      while (!signal?.aborted && !this.#isClosed) {
        // It listens before it reads, so that no event falls between the two.
        const changed = watch.next({ signal })
        for await (const logged of (await this.#sharedAfter(sessionId, seq)) ?? this.read(sessionId, seq)) {
          if (signal?.aborted) return
          yield logged
          seq = logged.seq
        }
        await changed
        if (watch.isDeleted && seq > 0) throw lostEvents(sessionId, 0, seq)
      }
    } finally {
      watch.stop()
    }
  }

  async saveSnapshot(
    sessionId: string,
    snapshot: Snapshot,
    { generation, trim = false }: SnapshotOptions = {},
  ): Promise<void> {
    checkSnapshot(sessionId, snapshot, generation)
    await this.#inTurn(sessionId, async (session) => {
      checkLease(sessionId, session, generation)
      if (snapshot.seq > session.lastSeq) throw wrongSeq(sessionId, snapshot.seq, session.lastSeq)
      const kept = await session.loadSnapshot()
      if (kept && kept.seq > snapshot.seq) return
      await session.saveSnapshot(snapshot, trim)
    })
  }

  async loadSnapshot(sessionId: string): Promise<Snapshot | null> {
    checkSessionId(sessionId)
    return this.#inTurn(sessionId, (session) => session.loadSnapshot())
  }

  async acquire(
    sessionId: string,
    owner: string,
    { leaseMs }: { readonly leaseMs: number },
  ): Promise<number | null> {
    checkAcquire(sessionId, owner, leaseMs)
    return this.#inTurn(sessionId, async (session) => {
      const lease = requestLease(session.lease, { owner, leaseMs, now: this.#now() })
      if (lease !== session.lease) await session.saveLease(lease)
      return lease.owner === owner ? lease.generation : null
    })
  }

  async release(sessionId: string, generation: number): Promise<void> {
    checkSessionId(sessionId)
    checkGeneration(generation)
    await this.#inTurn(sessionId, async (session) => {
      const lease = releaseLease(session.lease, generation)
      if (lease !== session.lease) await session.saveLease(lease)
    })
  }

  async *sessions(): AsyncGenerator<string, void> {
    this.#checkOpen()
    yield* this.#storage.sessions()
  }

  async delete(sessionId: string): Promise<void> {
    checkSessionId(sessionId)
    await this.#inTurn(sessionId, async (session) => {
      await session.delete()
      this.#sessions.delete(sessionId)
      // In turn, so that a reader of the next events knows that they are others.
      this.#changes.announceDeletion(sessionId)
    })
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#changes.announceAll()
    await Promise.allSettled(this.#calls.values())
    await this.#storage.close()
  }

  /** Runs the work after the session's earlier calls. After a failure the session is read again from where it is stored. */
  async #inTurn<Result>(
    sessionId: string,
    work: (session: SessionStorage) => Promise<Result>,
  ): Promise<Result> {
    this.#checkOpen()
    const before = this.#calls.get(sessionId)
    const call = (async () => {
      await before?.catch(() => {})
      const session = await this.#open(sessionId)
      await session.refresh()
      return work(session)
    })()
    this.#calls.set(sessionId, call)
    try {
      return await call
    } catch (error) {
      if (!(error instanceof LogError)) this.#sessions.delete(sessionId)
      throw error
    } finally {
      if (this.#calls.get(sessionId) === call) this.#calls.delete(sessionId)
    }
  }

  #checkOpen(): void {
    if (this.#isClosed) throw new LogError('closed', 'the log is closed')
  }

  async #open(sessionId: string): Promise<SessionStorage> {
    const session = this.#sessions.get(sessionId) ?? this.#storage.open(sessionId)
    session.catch(() => this.#sessions.delete(sessionId))
    // The session is the newest one now.
    this.#sessions.delete(sessionId)
    this.#sessions.set(sessionId, session)
    for (const [oldest] of this.#sessions) {
      if (this.#sessions.size <= OPEN_SESSIONS) break
      this.#sessions.delete(oldest)
    }
    return session
  }
}

/** Returns the events after the number. Throws a `LogError` if the session does not have them. */
function eventsOf(
  session: SessionStorage,
  sessionId: string,
  afterSeq: number,
): Promise<AsyncIterable<LoggedEvent>> {
  if (afterSeq < session.droppedSeq) throw trimmed(sessionId, session.droppedSeq, afterSeq)
  if (afterSeq > session.lastSeq) throw lostEvents(sessionId, session.lastSeq, afterSeq)
  return session.events(afterSeq)
}

async function collected(events: AsyncIterable<LoggedEvent>): Promise<readonly LoggedEvent[]> {
  const all: LoggedEvent[] = []
  for await (const logged of events) all.push(logged)
  return all
}

function checkLease(sessionId: string, { lease }: SessionStorage, generation: number | undefined): void {
  if (generation !== undefined && generation !== lease.generation)
    throw oldGeneration(sessionId, lease.generation, generation)
}

/** Keeps one session for a `LocalLog`, which makes the checks and calls one method at a time. */
export interface SessionStorage {
  /** The number of the last event. */
  readonly lastSeq: number
  /** The number of the last event that was dropped, 0 if none was. */
  readonly droppedSeq: number
  readonly lease: Lease
  /** Reads what another process has changed. It runs before each call. */
  refresh(): Promise<void>
  /** Adds the events, all or none. Returns false if another process was faster. */
  append(events: readonly SessionEvent[]): Promise<boolean>
  /** Returns the events after the number, which is at least `droppedSeq`, up to the last event at the time of the call. */
  events(afterSeq: number): Promise<AsyncIterable<LoggedEvent>>
  saveLease(lease: Lease): Promise<void>
  /** Keeps the snapshot. With `trim` it drops the events that the snapshot contains. */
  saveSnapshot(snapshot: Snapshot, trim: boolean): Promise<void>
  loadSnapshot(): Promise<Snapshot | null>
  /** Removes everything of the session. Nothing else is called after it. */
  delete(): Promise<void>
}

/** Wakes readers that wait for the next change of a session. */
class Changes {
  readonly #watches = new Map<string, Set<SessionWatch>>()

  /** Wakes the readers of a session. */
  announce(sessionId: string): void {
    for (const watch of this.#watches.get(sessionId) ?? []) watch.wake()
  }

  /** Wakes every reader. */
  announceAll(): void {
    for (const sessionId of this.#watches.keys()) this.announce(sessionId)
  }

  /** Wakes the readers of a session whose events are gone. */
  announceDeletion(sessionId: string): void {
    for (const watch of this.#watches.get(sessionId) ?? []) watch.isDeleted = true
    this.announce(sessionId)
  }

  /** Begins to watch a session. Call `stop` at the end. */
  watch(sessionId: string): SessionWatch & { readonly stop: () => void } {
    const watch = new SessionWatch()
    const readers = this.#watches.get(sessionId) ?? new Set()
    this.#watches.set(sessionId, readers.add(watch))
    const stop = (): void => {
      watch.wake()
      readers.delete(watch)
      if (readers.size === 0 && this.#watches.get(sessionId) === readers) this.#watches.delete(sessionId)
    }
    return Object.assign(watch, { stop })
  }
}

class SessionWatch extends Wake {
  /** Whether the session was deleted since the watch began. */
  isDeleted = false
}
