import type { RedisConnection } from './connection.ts'
import { StreamWaker, type Waiter, type Waiters } from './stream-waker.ts'

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
