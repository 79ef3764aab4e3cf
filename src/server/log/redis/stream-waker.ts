import { setTimeout as pause } from 'node:timers/promises'
import { Wake } from '../../signals.ts'
import { within } from '../log-error.ts'
import { isTransient, OwnConnection, RETRY_MS, type RedisConnection, send } from './connection.ts'

/** Somebody who waits for entries after a number. */
interface Waiter {
  readonly afterSeq: number
  readonly wake: () => void
  readonly fail: (error: unknown) => void
}

/** The waiters of each stream, by its key. */
type Waiters = Map<string, Set<Waiter>>

/** A reply may come this long after twice the time of a block before the connection counts as dead, in milliseconds. */
const GRACE_MS = 1000
/** The pause after a wake-up, in milliseconds: readers come back in it, and several events become one wake-up. */
const GATHER_MS = 2

/** Blocks on all streams that somebody waits for, on a connection of its own, and wakes the waiters of those that grow. */
export class StreamWaker {
  readonly #client: RedisConnection
  readonly #waiters: Waiters
  readonly #blockMs: number
  #connection: OwnConnection | undefined
  #isStopped = false
  readonly #refreshed = new Wake()

  constructor(client: RedisConnection, waiters: Waiters, blockMs: number) {
    this.#client = client
    this.#waiters = waiters
    this.#blockMs = blockMs
  }

  /** There is another waiter. */
  refresh(): void {
    this.#refreshed.wake()
  }

  stop(): void {
    this.#isStopped = true
    this.#disconnect()
    this.refresh()
  }

  /** Runs until it is stopped. Rejects if there is no connection, or if the server refuses a command. */
  async run(): Promise<void> {
    try {
      while (!this.#isStopped) {
        if (this.#waiters.size === 0) await this.#refreshed.next()
        else await this.#wakeOnce()
      }
    } catch (error) {
      if (!this.#isStopped) throw error
    } finally {
      this.#disconnect()
    }
  }

  async #wakeOnce(): Promise<void> {
    try {
      const { client } = this.#connection ?? (await this.#connect())
      if (this.#waiters.size === 0) return
      this.#wake(await this.#within(this.#grownKeys(client)))
      await pause(GATHER_MS)
    } catch (error) {
      if (this.#isStopped || !this.#client.isOpen || !isTransient(error)) throw error
      // Each try has a new connection, because a connection may be dead without knowing it.
      this.#disconnect()
      await pause(RETRY_MS)
      // A server that lost events never reaches the numbers that some of the waiters wait for.
      this.#wake([...this.#waiters.keys()])
    }
  }

  async #connect(): Promise<OwnConnection> {
    const connection = new OwnConnection(this.#client)
    this.#connection = connection
    // A server that stops while it accepts a connection may leave the client waiting for ever.
    await this.#within(connection.open())
    return connection
  }

  #disconnect(): void {
    this.#connection?.close()
    this.#connection = undefined
  }

  /** Returns the keys of the streams that have grown. A new waiter ends the call early. */
  async #grownKeys(connection: RedisConnection): Promise<readonly string[]> {
    const refreshed = this.#refreshed.next()
    const id = send(connection, ['CLIENT', 'ID'])
    const block = ['COUNT', '1', 'BLOCK', String(this.#blockMs)]
    const reply = send(connection, ['XREAD', ...block, 'STREAMS', ...this.#waiters.keys(), ...this.#places()])
    let isRead = false
    const unblocked = refreshed.then(() => this.#unblock(id, () => isRead)).then(() => reply)
    try {
      return keysIn(await Promise.race([reply, unblocked, id.then(() => reply)]))
    } finally {
      isRead = true
    }
  }

  /** Returns the number after which each stream is read. */
  #places(): readonly string[] {
    return [...this.#waiters.values()].map((waiters) =>
      String(
        [...waiters].reduce((least, { afterSeq }) => Math.min(least, afterSeq), Number.MAX_SAFE_INTEGER),
      ),
    )
  }

  /** Ends the block. The command may arrive before the block begins, so it tries again. */
  async #unblock(id: Promise<unknown>, isRead: () => boolean): Promise<void> {
    const blocked = String(await id)
    while (!isRead()) {
      if (Number(await send(this.#client, ['CLIENT', 'UNBLOCK', blocked])) === 1) return
      await pause(1)
    }
  }

  #wake(keys: readonly string[]): void {
    for (const key of keys) {
      for (const { wake } of this.#waiters.get(key) ?? []) wake()
      this.#waiters.delete(key)
    }
  }

  #within<Result>(work: Promise<Result>): Promise<Result> {
    return within(2 * this.#blockMs + GRACE_MS, work)
  }
}

/** RESP 2 has a list of pairs, RESP 3 an object, and nothing at the end of the time. */
function keysIn(reply: unknown): readonly string[] {
  if (Array.isArray(reply)) return reply.map(([key]) => String(key))
  return typeof reply === 'object' && reply !== null ? Object.keys(reply) : []
}

/** Waits until streams grow. One further connection serves all followers of a log, and it is there while there are followers. */
export class StreamWatch {
  readonly #client: RedisConnection
  readonly #blockMs: number
  readonly #waiters: Waiters = new Map()
  #followers = 0
  #reader: StreamWaker | undefined

  constructor(client: RedisConnection, blockMs: number) {
    this.#client = client
    this.#blockMs = blockMs
  }

  /** A follower begins. */
  enter(): void {
    this.#followers += 1
  }

  /** A follower ends. The last one ends the connection. */
  leave(): void {
    this.#followers -= 1
    if (this.#followers > 0) return
    this.#reader?.stop()
    this.#reader = undefined
  }

  /** Resolves when the stream has an entry after the number, and when the connection was lost. Call `stop` at the end. */
  listen(key: string, afterSeq: number): { readonly changed: Promise<void>; readonly stop: () => void } {
    const waiters = this.#waiters.get(key) ?? new Set()
    this.#waiters.set(key, waiters)
    let stop = (): void => {}
    const changed = new Promise<void>((resolve, reject) => {
      const waiter: Waiter = { afterSeq, wake: resolve, fail: reject }
      waiters.add(waiter)
      stop = () => {
        waiters.delete(waiter)
        if (waiters.size === 0 && this.#waiters.get(key) === waiters) this.#waiters.delete(key)
      }
    })
    this.#reader ??= this.#start()
    this.#reader.refresh()
    return { changed, stop }
  }

  #start(): StreamWaker {
    const reader = new StreamWaker(this.#client, this.#waiters, this.#blockMs)
    void reader.run().catch((error: unknown) => {
      if (this.#reader === reader) this.#reader = undefined
      for (const waiters of [...this.#waiters.values()]) for (const { fail } of waiters) fail(error)
    })
    return reader
  }
}
