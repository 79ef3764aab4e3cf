/** The pause before another try, in milliseconds. */
export const RETRY_MS = 50

/** The parts of a client of the package `redis` (5 or 6) that a log calls. */
export interface RedisConnection {
  /** Whether the client is connected, or tries to connect again. */
  readonly isOpen: boolean
  sendCommand(args: readonly string[], options?: { readonly typeMapping?: object }): Promise<unknown>
  /** Returns a client with the same options that is not connected yet. */
  duplicate(): RedisConnection
  connect(): Promise<unknown>
  destroy(): void
  on(event: 'connect' | 'reconnecting' | 'error', listener: () => void): unknown
}

/** Sends a command, and gets texts as strings whatever types the client's owner has chosen. */
export function send(client: RedisConnection, args: readonly string[]): Promise<unknown> {
  return client.sendCommand(args, { typeMapping: {} })
}

/** Replies of a server that will answer soon, for example after it has loaded its file. */
const NOT_READY = /^(LOADING|MASTERDOWN|CLUSTERDOWN|TRYAGAIN) /

/** An error that the server replied starts with a code in capitals. Errors of the connection do not. */
const SERVER_REPLY = /^[A-Z]{2,} /

/** Whether a later call may succeed, because the connection was lost or the server starts. */
export function isTransient(error: unknown): boolean {
  const text = String(error).replace(/^\w*: /, '')
  return NOT_READY.test(text) || !SERVER_REPLY.test(text)
}

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
