import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { SnapshotError } from '../../core/json/check-shape.ts'
import { callAll, Listeners } from '../../core/store/listeners.ts'
import { createSessionStore, type SessionStore } from '../../core/store/store.ts'
import { createSyncState, isStamped, receive } from '../../server/sync/sequence.ts'
import { restore } from '../../server/sync/snapshot.ts'
import { Attempt, pause } from './attempt.ts'

/**
 * - `connecting`: there is no state yet
 * - `live`: the state is that of the server
 * - `lost`: the connection broke, and the next try follows
 * - `ended`: the session was deleted, or `close` was called
 * - `refused`: the server does not give this session (401, 403, 404 …), or the address is not that of a hub
 */
export type ConnectionStatus = 'connecting' | 'live' | 'lost' | 'ended' | 'refused'

/** The options of `connectSession`. */
export interface ConnectOptions {
  /** The store that follows the session. By default the connection makes one. */
  readonly store?: SessionStore
  /** The headers of each request, for example a token. A function is called before each request, so that it can renew the token. */
  readonly headers?: RequestHeaders | (() => RequestHeaders | Promise<RequestHeaders>)
  /** Sends the requests. The default is the global `fetch`. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
  /** Reads the JSON of the server. The default is `JSON.parse`. */
  readonly parse?: (text: string) => unknown
  /** A connection without a sign of life counts as lost after that time, in ms. The default is 45,000, three heartbeats of a hub. */
  readonly silenceMs?: number
  /** Gets the reason of each break, for example a network error, or a `SnapshotError` if the server has another version of the library. */
  readonly onError?: (reason: unknown) => void
}

type RequestHeaders = NonNullable<RequestInit['headers']>

/** A session that a page follows. */
export interface SessionConnection {
  readonly store: SessionStore
  readonly status: ConnectionStatus
  /** Calls the listener after each change of the status. Returns a function that ends the subscription. */
  readonly subscribe: (listener: () => void) => () => void
  /** Ends the connection. The store keeps its state. */
  readonly close: () => void
}

const SILENCE_MS = 45_000

/** The wait before a new connection, in ms. It doubles with each failure. */
const FIRST_WAIT_MS = 250
const LONGEST_WAIT_MS = 5000

/**
 * Follows a session of a hub, and returns at once. The store gets a snapshot, and then each event once and in order. After a break the connection asks
 * for the events that it lacks. After a restart of the server or of the log it takes the new state. Throws a `TypeError` if the address is no string.
 */
export function connectSession(url: string, options: ConnectOptions = {}): SessionConnection {
  if (typeof url !== 'string') throw new TypeError('url: pass the address of a session')
  const connection = new Connection(url, options)
  void connection.run()
  return {
    store: connection.store,
    get status() {
      return connection.status
    },
    subscribe: (listener) => connection.listeners.subscribe(listener),
    close: () => connection.close(),
  }
}

/** A connection that has ended for good. */
type Final = Extract<ConnectionStatus, 'ended' | 'refused'>

class Connection {
  readonly store: SessionStore
  status: ConnectionStatus = 'connecting'
  readonly listeners = new Listeners()
  readonly #url: string
  readonly #options: ConnectOptions
  readonly #closed = new AbortController()
  #sync = createSyncState()
  /** The place of the last message, as the server names it. */
  #lastId: string | undefined
  #failures = 0

  constructor(url: string, options: ConnectOptions) {
    this.#url = url
    this.#options = options
    this.store = options.store ?? createSessionStore()
  }

  close(): void {
    this.#closed.abort()
    this.#show('ended')
  }

  /** Connects again and again until the end. */
  async run(): Promise<void> {
    while (!this.#closed.signal.aborted) {
      const final = await this.#connect()
      if (this.#closed.signal.aborted) return
      if (final) return this.#show(final)
      // Before the first snapshot there is nothing to lose.
      if (this.status === 'live') this.#show('lost')
      await pause(Math.min(FIRST_WAIT_MS * 2 ** this.#failures, LONGEST_WAIT_MS), this.#closed.signal)
      this.#failures += 1
    }
  }

  /** Resolves when the connection breaks. A network failure is no error: the next try follows. */
  async #connect(): Promise<Final | undefined> {
    const attempt = new Attempt(this.#closed.signal, this.#options.silenceMs ?? SILENCE_MS)
    try {
      const response = await attempt.within(this.#request(attempt.signal))
      const final = refusalOf(response)
      if (final || !response.ok) return final
      if (this.#lastId !== undefined) this.#show('live')
      return await this.#read(response, attempt)
    } catch (reason) {
      if (!this.#closed.signal.aborted) this.#options.onError?.(reason)
      // The next snapshot would have the same version.
      return reason instanceof SnapshotError ? 'refused' : undefined
    } finally {
      attempt.end()
    }
  }

  async #request(signal: AbortSignal): Promise<Response> {
    const { headers, fetch: send = fetch } = this.#options
    const init: RequestInit = { signal }
    const asked = typeof headers === 'function' ? await headers() : headers
    return send(this.#address(), asked === undefined ? init : { ...init, headers: asked })
  }

  /** The place is in the address: with a header of its own, a browser would ask another origin first. */
  #address(): string {
    if (this.#lastId === undefined) return this.#url
    return `${this.#url}${this.#url.includes('?') ? '&' : '?'}after=${encodeURIComponent(this.#lastId)}`
  }

  async #read({ body }: Response, attempt: Attempt): Promise<Final | undefined> {
    let final: Final | undefined
    const parser = createParser({
      onEvent: (message) => {
        // A listener of the store may have closed the connection.
        if (this.#closed.signal.aborted) return
        if (message.event === 'end') final = 'ended'
        else this.#take(message)
      },
    })
    const reader = body?.getReader()
    // A `fetch` of somebody else may ignore the signal.
    attempt.signal.addEventListener('abort', () => void reader?.cancel().catch(() => {}))
    const decoder = new TextDecoder()
    while (reader && !final) {
      const { done, value } = await reader.read()
      if (done) return undefined
      attempt.showLife()
      parser.feed(decoder.decode(value, { stream: true }))
    }
    return final
  }

  #take({ event, id, data }: EventSourceMessage): void {
    const value: unknown = (this.#options.parse ?? JSON.parse)(data)
    if (event === 'snapshot') this.#takeSnapshot(value)
    else this.#takeEvent(value)
    this.#lastId = id
    this.#failures = 0
    this.#show('live')
  }

  #takeSnapshot(value: unknown): void {
    const { state, epoch, seq } = restore(value)
    this.#sync = createSyncState({ epoch, seq })
    this.store.replaceState(state)
  }

  /** A server that skips an event, or sends another log's, must send a snapshot first. */
  #takeEvent(value: unknown): void {
    const received = isStamped(value) ? receive(this.#sync, value) : undefined
    if (!received || received.issues.length > 0 || received.sync.buffered.length > 0) {
      this.#lastId = undefined
      throw new TypeError('the message of the server does not follow the last one')
    }
    this.#sync = received.sync
    this.store.dispatchAll(received.events)
  }

  #show(status: ConnectionStatus): void {
    if (status === this.status || this.status === 'ended') return
    this.status = status
    try {
      callAll(this.listeners.all())
    } catch (error) {
      // The connection goes on, and the error has no other caller.
      queueMicrotask(() => {
        throw error
      })
    }
  }
}

/** Servers that are busy or that restart answer with the other codes. */
const RETRIED: ReadonlySet<number> = new Set([408, 425, 429])

function refusalOf({ status, ok, headers }: Response): Final | undefined {
  if (status >= 400 && status < 500 && !RETRIED.has(status)) return 'refused'
  return ok && !headers.get('content-type')?.startsWith('text/event-stream') ? 'refused' : undefined
}
