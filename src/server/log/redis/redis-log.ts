import { setTimeout as pause } from 'node:timers/promises'
import type { SessionEvent } from '../../../core/events/event.ts'
import { before, onAbort } from '../../signals.ts'
import type { Snapshot } from '../../sync/snapshot.ts'
import { storedSnapshot } from '../advance.ts'
import {
  checkAcquire,
  checkAppend,
  checkGeneration,
  checkSeq,
  checkSessionId,
  checkSnapshot,
  withinLimit,
} from '../arguments.ts'
import { LogError, lostEvents, oldGeneration, trimmed, wrongSeq } from '../log-error.ts'
import type { AppendOptions, LoggedEvent, ReadOptions, SessionLog, SnapshotOptions } from '../session-log.ts'
import { isTransient, RETRY_MS, type RedisConnection, send } from './connection.ts'
import {
  ACQUIRE,
  APPEND,
  DELETE,
  eventsOf,
  keysOf,
  LOAD_SNAPSHOT,
  metaPattern,
  PAGE,
  type Place,
  RELEASE,
  runScript,
  SAVE_SNAPSHOT,
  sessionIdOf,
} from './layout.ts'
import { StreamWatch } from './stream-waker.ts'

/** Options of a log in Redis. */
export interface RedisLogOptions {
  /** The beginning of every key. The default is `agentfold:`. */
  readonly prefix?: string
  /** How long a command of `follow` waits for events before it is sent again, in milliseconds. The default is 5000. */
  readonly blockMs?: number
}

/** The most events that one reply has. */
const PAGE_LENGTH = 200
/** The keys that Redis looks at for one reply. */
const SCAN_COUNT = 1000
/** A reply ends after that many bytes of events, so that long events fill no memory. */
const PAGE_BYTES = 2 ** 20

/**
 * Returns a log in Redis (6.2 or later), for any number of processes. Each session is a stream whose entries have the
 * numbers of its events. The client must be connected, and it stays open when the log closes. While somebody follows,
 * the log has one further connection.
 *
 * A call rejects with the client's error if Redis fails. Such an append may have happened. Throws a `RangeError` if
 * `blockMs` is not a whole number from 1.
 */
export function createRedisLog(client: RedisConnection, options: RedisLogOptions = {}): SessionLog {
  return new RedisLog(client, options)
}

class RedisLog implements SessionLog {
  readonly #client: RedisConnection
  readonly #prefix: string
  readonly #watch: StreamWatch
  readonly #endings = new Set<AbortController>()
  #isClosed = false

  constructor(client: RedisConnection, { prefix = 'agentfold:', blockMs = 5000 }: RedisLogOptions) {
    if (!(Number.isSafeInteger(blockMs) && blockMs > 0))
      throw new RangeError('blockMs: pass whole milliseconds, more than 0')
    this.#client = client
    this.#prefix = prefix
    this.#watch = new StreamWatch(client, blockMs)
  }

  async append(sessionId: string, events: readonly SessionEvent[], options: AppendOptions): Promise<number> {
    checkAppend(sessionId, events, options)
    const { expectedSeq, generation, digest = '' } = options
    const { meta, events: stream } = this.#keysOf(sessionId)
    const texts = events.map((event) => withinLimit(() => JSON.stringify(event)))
    withinLimit(() => texts.join())
    const values = [expectedSeq, generation ?? '', digest, ...texts]
    const { status, value } = await runScript(this.#client, APPEND, [meta, stream], values)
    checkStatus(status, { sessionId, actual: value, seq: expectedSeq, generation })
    return value
  }

  async *read(
    sessionId: string,
    afterSeq: number,
    { digest }: ReadOptions = {},
  ): AsyncGenerator<LoggedEvent, void> {
    checkSessionId(sessionId)
    checkSeq('afterSeq', afterSeq)
    let place: Place = { seq: afterSeq, digest }
    let last: number | undefined
    do {
      const page = await this.#page(sessionId, place)
      // Events that arrive while it reads do not make it endless.
      last ??= page.last
      for (const logged of page.events) if (logged.seq <= last) yield logged
      place = page.end
    } while (place.seq < last)
  }

  async *follow(
    sessionId: string,
    afterSeq: number,
    { signal, digest }: ReadOptions & { readonly signal?: AbortSignal } = {},
  ): AsyncGenerator<LoggedEvent, void> {
    checkSessionId(sessionId)
    checkSeq('afterSeq', afterSeq)
    const ending = new AbortController()
    if (signal?.aborted) return
    this.#checkOpen()
    const stop = signal && onAbort(signal, () => ending.abort())
    this.#endings.add(ending)
    this.#watch.enter()
    try {
      yield* this.#followUntil(ending.signal, sessionId, { seq: afterSeq, digest })
    } finally {
      this.#watch.leave()
      this.#endings.delete(ending)
      stop?.()
    }
  }

  async saveSnapshot(
    sessionId: string,
    snapshot: Snapshot,
    { generation, trim = false }: SnapshotOptions = {},
  ): Promise<void> {
    checkSnapshot(sessionId, snapshot, generation)
    const { meta, events, snapshot: key } = this.#keysOf(sessionId)
    const { seq, digest = '' } = snapshot
    const text = withinLimit(() => JSON.stringify(snapshot))
    const values = [seq, digest, generation ?? '', text, trim ? '1' : '']
    const { status, value } = await runScript(this.#client, SAVE_SNAPSHOT, [meta, events, key], values)
    checkStatus(status, { sessionId, actual: value, seq, generation })
  }

  async loadSnapshot(sessionId: string): Promise<Snapshot | null> {
    checkSessionId(sessionId)
    const { meta, events, snapshot: key } = this.#keysOf(sessionId)
    const { status, rest } = await runScript(this.#client, LOAD_SNAPSHOT, [meta, events, key], [])
    return status === 'ok' ? storedSnapshot(rest.join(''), key) : null
  }

  async acquire(
    sessionId: string,
    owner: string,
    { leaseMs }: { readonly leaseMs: number },
  ): Promise<number | null> {
    checkAcquire(sessionId, owner, leaseMs)
    const { meta } = this.#keysOf(sessionId)
    const { status, value } = await runScript(this.#client, ACQUIRE, [meta], [owner, leaseMs])
    return status === 'ok' ? value : null
  }

  async release(sessionId: string, generation: number): Promise<void> {
    checkSessionId(sessionId)
    checkGeneration(generation)
    await runScript(this.#client, RELEASE, [this.#keysOf(sessionId).meta], [generation])
  }

  async *sessions(): AsyncGenerator<string, void> {
    const seen = new Set<string>()
    let cursor = '0'
    do {
      this.#checkOpen()
      const command = ['SCAN', cursor, 'MATCH', metaPattern(this.#prefix), 'COUNT', String(SCAN_COUNT)]
      const [next, ...keys] = [await send(this.#client, command)].flat(2).map(String)
      for (const key of keys) {
        const id = sessionIdOf(this.#prefix, key)
        // Redis may return a key twice.
        if (id !== undefined && !seen.has(id)) yield id
        if (id !== undefined) seen.add(id)
      }
      cursor = next ?? '0'
    } while (cursor !== '0')
  }

  async delete(sessionId: string): Promise<void> {
    checkSessionId(sessionId)
    const { meta, events, snapshot } = this.#keysOf(sessionId)
    await runScript(this.#client, DELETE, [meta, events, snapshot], [])
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const ending of this.#endings) ending.abort()
  }

  #checkOpen(): void {
    if (this.#isClosed) throw new LogError('closed', 'the log is closed')
  }

  #keysOf(sessionId: string): ReturnType<typeof keysOf> {
    this.#checkOpen()
    return keysOf(this.#prefix, sessionId)
  }

  async #page(sessionId: string, place: Place): Promise<Page> {
    const { meta, events: key } = this.#keysOf(sessionId)
    const { seq, digest = '' } = place
    const values = [seq, digest, PAGE_LENGTH, PAGE_BYTES]
    const { status, value, rest } = await runScript(this.#client, PAGE, [meta, key], values)
    if (status === 'trimmed') throw trimmed(sessionId, value, seq)
    if (status === 'lost-events') throw lostEvents(sessionId, value, seq)
    const events = eventsOf(rest, { key, afterSeq: seq, last: value })
    const { seq: endSeq, digest: endDigest } = events.at(-1) ?? place
    return { last: value, events, end: { seq: endSeq, digest: endDigest } }
  }

  async *#followUntil(
    signal: AbortSignal,
    sessionId: string,
    start: Place,
  ): AsyncGenerator<LoggedEvent, void> {
    let place = start
    while (!signal.aborted) {
      const page = await before(signal, this.#pageOrNothing(sessionId, place))
      if (!page) continue
      for (const logged of page.events) {
        if (signal.aborted) return
        yield logged
      }
      place = page.end
      if (!signal.aborted && page.last <= place.seq) await this.#change(signal, sessionId, place.seq)
    }
  }

  /** Returns undefined if the connection is lost and the client connects again. */
  async #pageOrNothing(sessionId: string, place: Place): Promise<Page | undefined> {
    try {
      return await this.#page(sessionId, place)
    } catch (error) {
      if (error instanceof LogError || !this.#client.isOpen || !isTransient(error)) throw error
      await pause(RETRY_MS)
      return undefined
    }
  }

  /** Resolves when there may be other events than before. */
  async #change(signal: AbortSignal, sessionId: string, afterSeq: number): Promise<void> {
    const { changed, stop } = this.#watch.listen(this.#keysOf(sessionId).events, afterSeq)
    try {
      await before(signal, changed)
    } finally {
      stop()
    }
  }
}

interface Page {
  /** The number of the session's last event. */
  readonly last: number
  readonly events: readonly LoggedEvent[]
  readonly end: Place
}

interface Refused {
  readonly sessionId: string
  /** The number in Redis. */
  readonly actual: number
  readonly seq: number
  readonly generation: number | undefined
}

function checkStatus(status: string | undefined, { sessionId, actual, seq, generation }: Refused): void {
  if (status === 'wrong-seq') throw wrongSeq(sessionId, seq, actual)
  if (status === 'lost-events') throw lostEvents(sessionId, actual, seq)
  if (status === 'old-generation' && generation !== undefined)
    throw oldGeneration(sessionId, actual, generation)
}
