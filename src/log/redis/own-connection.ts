import type { RedisConnection } from './connection.ts'

/** A connection that the log opens beside the client's own, with the same options. */
export class OwnConnection {
  readonly client: RedisConnection
  /** Whether the client waits for a socket. It then forgets a call of `destroy`, and would keep the socket open. */
  #isConnecting = true
  #isClosed = false

  constructor(client: RedisConnection) {
    this.client = client.duplicate()
    this.client.on('reconnecting', () => {
      this.#isConnecting = true
    })
    this.client.on('connect', () => {
      this.#isConnecting = false
      this.#destroyIfClosed()
    })
    // The calls that fail have the error too.
    this.client.on('error', () => this.#destroyIfClosed())
  }

  async open(): Promise<void> {
    await this.client.connect()
  }

  close(): void {
    this.#isClosed = true
    if (!this.#isConnecting) this.#destroyIfClosed()
  }

  #destroyIfClosed(): void {
    if (this.#isClosed && this.client.isOpen) this.client.destroy()
  }
}
