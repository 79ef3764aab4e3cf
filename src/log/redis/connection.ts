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
