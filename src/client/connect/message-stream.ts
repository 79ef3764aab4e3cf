import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { SnapshotError } from '../../core/json/check-shape.ts'
import { asObject, asString, parseJson } from '../../core/json/values.ts'
import { callAllOfConnection, Listeners } from '../../core/store/listeners.ts'
import { isFinalRefusal } from '../../server/hub/http.ts'
import { onAbort, Wake } from '../../server/signals.ts'

/**
 * - `connecting`: there is no state yet
 * - `live`: the state is that of the server
 * - `lost`: the connection broke, and the next try follows
 * - `ended`: the session was deleted, or `close` was called
 * - `refused`: the server does not give this session (401, 403, 404 …), or the address is not that of a hub
 */
export type ConnectionStatus = 'connecting' | 'live' | 'lost' | 'ended' | 'refused'

/** The options of a connection. */
export interface StreamOptions {
  /** The headers of each request, for example a token. A function is called before each request, so that it can renew the token. */
  readonly headers?: RequestHeaders | (() => RequestHeaders | Promise<RequestHeaders>)
  /** Sends the requests. The default is the global `fetch`. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
  /**
   * A connection without a sign of life counts as lost after that time, in ms. The default is 45,000, three
   * heartbeats of a hub. A page that wakes checks a connection that was silent for a third of it.
   */
  readonly silenceMs?: number
  /** Gets the reason of each break, for example a network error, or a `SnapshotError` if the server has another version of the library. */
  readonly onError?: ((reason: unknown) => void) | ((reason: unknown) => Promise<void>)
}

type RequestHeaders = NonNullable<RequestInit['headers']>

/** The address of a stream, and the receiver of its messages. */
interface StreamTarget {
  /** Returns the address with the places of the last messages, or undefined while nothing is wanted. */
  address(): string | undefined
  /** Takes a message. Returns whether the page now has the state of the server, or the stream has ended for good. */
  take(message: EventSourceMessage): 'live' | 'ended' | undefined
}

const SILENCE_MS = 45_000

/** The wait before a new connection, in ms. It doubles with each failure. */
const FIRST_WAIT_MS = 250
const LONGEST_WAIT_MS = 5000

/**
 * A server must answer a page that wakes within that time, in ms. It doubles with each failure: after a sleep, the
 * network may come late.
 */
const WAKE_MS = 1500

/** A connection that has ended for good. */
type Final = Extract<ConnectionStatus, 'ended' | 'refused'>

/** Returns the headers of a request. */
export async function headersOf({
  headers,
}: Pick<StreamOptions, 'headers'>): Promise<{ readonly headers?: RequestHeaders }> {
  const asked = typeof headers === 'function' ? await headers() : headers
  return asked === undefined ? {} : { headers: asked }
}

/** Follows the messages of a hub, and connects again after each break. */
export class MessageStream {
  status: ConnectionStatus = 'connecting'
  /** Why the server has refused the stream, while it does. */
  refusal: string | undefined
  readonly listeners = new Listeners()
  readonly #options: StreamOptions
  readonly #target: StreamTarget
  readonly #closed = new AbortController()
  readonly #endWake: () => void
  #attempt: Attempt | undefined
  /** Ends the wait for the next try, or for something to ask for. */
  readonly #hurry = new Wake()
  /** The last attempt was ended to ask for something else, or because the page woke. */
  #isReplaced = false
  #isWaking = false
  #failures = 0
  /** The time of the last sign of life, in ms since the epoch. A timer stands still while a page sleeps. */
  #signAt = 0

  constructor(options: StreamOptions, target: StreamTarget) {
    this.#options = options
    this.#target = target
    this.#endWake = onWake((isSure) => this.#wake(isSure))
  }

  close(): void {
    this.#closed.abort()
    this.#endWake()
    this.show('ended')
  }

  /** Asks again, for what the target wants now. */
  restart(): void {
    if (this.#closed.signal.aborted) return
    this.#failures = 0
    this.#isReplaced = true
    this.#attempt?.end()
    this.#hurry.wake()
  }

  /** Connects again and again until the end. */
  async run(): Promise<void> {
    while (!this.#closed.signal.aborted) {
      this.#isReplaced = false
      this.refusal = undefined
      const address = this.#target.address()
      const final = address === undefined ? undefined : await this.#connect(address)
      if (this.#closed.signal.aborted) return
      if (final) this.show(final)
      if (final === 'ended') return this.#endWake()
      if (this.#isReplaced) continue
      // Before the first snapshot there is nothing to lose.
      if (this.status === 'live' && address !== undefined) this.show('lost')
      const wait = Math.min(FIRST_WAIT_MS * 2 ** this.#failures, LONGEST_WAIT_MS)
      await this.#pause(final || address === undefined ? undefined : wait)
      this.#failures += 1
    }
  }

  show(status: ConnectionStatus): void {
    if (status === this.status || this.status === 'ended') return
    this.status = status
    callAllOfConnection(this.listeners.all())
  }

  /** Without a time, it waits for `restart`. */
  async #pause(ms: number | undefined): Promise<void> {
    if (!this.#isReplaced) await this.#hurry.next({ ms, signal: this.#closed.signal })
  }

  /** A connection that broke in a sleep shows no error: the page asks again, and says so until the answer. */
  #wake(isSure: boolean): void {
    const { silenceMs = SILENCE_MS } = this.#options
    const isSilent = Date.now() - this.#signAt > silenceMs / 3
    if (this.status !== 'live' && this.status !== 'lost') return
    if (this.status === 'live' && !isSure && !isSilent) return
    this.#isWaking = true
    this.show('lost')
    this.restart()
  }

  /** Resolves when the connection breaks. A network failure is no error: the next try follows. */
  async #connect(address: string): Promise<Final | undefined> {
    const { silenceMs = SILENCE_MS } = this.#options
    const attempt = new Attempt(
      this.#closed.signal,
      this.#isWaking ? Math.min(silenceMs, WAKE_MS * 2 ** this.#failures) : silenceMs,
    )
    this.#attempt = attempt
    try {
      const response = await attempt.within(this.#request(address, attempt.signal))
      const final = refusalOf(response)
      if (final && !response.ok) this.refusal = await attempt.within(messageIn(response))
      if (final || !response.ok) return final
      this.#isWaking = false
      attempt.silenceMs = silenceMs
      this.#showLife(attempt)
      return await this.#read(response, attempt)
    } catch (reason) {
      if (!this.#closed.signal.aborted && !this.#isReplaced) this.#report(reason)
      // The next snapshot would have the same version.
      return reason instanceof SnapshotError ? 'refused' : undefined
    } finally {
      attempt.end()
    }
  }

  /** The connection goes on, also if the handler of errors fails: its own error has no other handler. */
  #report(reason: unknown): void {
    const report = async (): Promise<void> => this.#options.onError?.(reason)
    report().catch(() => {})
  }

  #showLife(attempt: Attempt): void {
    this.#signAt = Date.now()
    attempt.showLife()
  }

  async #request(address: string, signal: AbortSignal): Promise<Response> {
    const { fetch: send = fetch } = this.#options
    return send(address, { signal, ...(await headersOf(this.#options)) })
  }

  async #read({ body }: Response, attempt: Attempt): Promise<Final | undefined> {
    let hasEnded = false
    const parser = createParser({
      onEvent: (message) => {
        // A listener of the store may have closed the connection, or asked for something else.
        if (attempt.signal.aborted) return
        const status = this.#target.take(message)
        hasEnded ||= status === 'ended'
        this.#failures = 0
        if (!hasEnded && status === 'live') this.show(status)
      },
    })
    const reader = body?.getReader()
    // A `fetch` of somebody else may ignore the signal.
    attempt.signal.addEventListener('abort', () => void reader?.cancel().catch(() => {}))
    const decoder = new TextDecoder()
    while (reader && !hasEnded) {
      const { done, value } = await reader.read()
      if (done) return undefined
      this.#showLife(attempt)
      parser.feed(decoder.decode(value, { stream: true }))
    }
    return hasEnded ? 'ended' : undefined
  }
}

async function messageIn(response: Response): Promise<string | undefined> {
  return asString(asObject(parseJson(await response.text())).message)
}

function refusalOf({ status, ok, headers }: Response): Final | undefined {
  if (isFinalRefusal(status)) return 'refused'
  return ok && !headers.get('content-type')?.startsWith('text/event-stream') ? 'refused' : undefined
}

/** The document of a page, as far as it is used. Workers and servers have none. */
interface PageDocument {
  readonly visibilityState: string
  addEventListener(type: string, listener: () => void): void
  removeEventListener(type: string, listener: () => void): void
}

declare const document: PageDocument | undefined
declare const addEventListener: ((type: string, listener: (event: object) => void) => void) | undefined
declare const removeEventListener: (type: string, listener: (event: object) => void) => void

/**
 * Calls `wake` when the page may have slept: a connection that broke meanwhile shows no error. `isSure` says that it
 * was frozen or offline. Returns a function that ends it. Outside a page nothing happens.
 */
function onWake(wake: (isSure: boolean) => void): () => void {
  if (typeof addEventListener !== 'function') return () => {}
  const page = typeof document === 'undefined' ? undefined : document
  const online = (): void => wake(true)
  const show = (event: object): void => wake('persisted' in event && event.persisted === true)
  const change = (): void => {
    if (page?.visibilityState === 'visible') wake(false)
  }
  const remove = removeEventListener
  addEventListener('online', online)
  addEventListener('pageshow', show)
  page?.addEventListener('visibilitychange', change)
  page?.addEventListener('resume', online)
  return () => {
    remove('online', online)
    remove('pageshow', show)
    page?.removeEventListener('visibilitychange', change)
    page?.removeEventListener('resume', online)
  }
}

/** The time of one connection. Its signal aborts when the outer signal does, or when nothing comes for `silenceMs`. */
export class Attempt {
  readonly #ending = new AbortController()
  /** The longest time without a sign, in ms. */
  silenceMs: number
  #leaveOuter = (): void => {}
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(outer: AbortSignal, silenceMs: number) {
    this.silenceMs = silenceMs
    this.showLife()
    this.#leaveOuter = onAbort(outer, this.end)
  }

  get signal(): AbortSignal {
    return this.#ending.signal
  }

  /** Something came. */
  showLife(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(this.end, this.silenceMs)
  }

  /** Resolves as the work does, or rejects when the time is over: headers and a `fetch` of somebody else may ignore the signal. */
  within<Result>(work: Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      onAbort(this.signal, () => reject(this.signal.reason))
      work.then(resolve, reject)
    })
  }

  readonly end = (): void => {
    clearTimeout(this.#timer)
    this.#leaveOuter()
    this.#ending.abort()
  }
}
