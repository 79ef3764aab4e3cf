import type { EventSourceMessage } from 'eventsource-parser'
import { omitUndefined } from '../../core/json/fields.ts'
import { asObject, asString, isObject, parseJson } from '../../core/json/values.ts'
import { callAll, Listeners } from '../../core/store/listeners.ts'
import { createSessionStore, type SessionStore } from '../../core/store/store.ts'
import type { PersonAnswer } from '../../server/hub/answered-request.ts'
import { HubError, isHubErrorCode } from '../../server/hub/hub-error.ts'
import { type HubSessionSummary, newestFirst } from '../../server/hub/session-summary.ts'
import { ReceivedSession, type SessionConnection } from './connection.ts'
import { type ConnectionStatus, headersOf, MessageStream, type StreamOptions } from './message-stream.ts'

/** The options of `connectHub`. */
export interface ConnectHubOptions extends StreamOptions {}

/** The list of a hub's sessions. */
export interface HubSessions {
  /**
   * Returns the sessions, the newest first. It is the same list until a session changes. The first call, or the first
   * listener, asks for it.
   */
  readonly get: () => readonly HubSessionSummary[]
  /** Calls the listener after each change. Returns a function that ends the subscription. */
  readonly subscribe: (listener: () => void) => () => void
}

/** All sessions of a hub that a page follows, over one connection. */
export interface HubConnection {
  /** Follows a session. Several calls with one id share its store; the session is followed until each of them is closed. */
  readonly session: (id: string) => SessionConnection
  /** Returns the store and the status of a session without following it. */
  readonly view: (id: string) => SessionView
  readonly sessions: HubSessions
  /**
   * Answers an open request. Rejects with a `HubError` if the hub takes no such answer, and with an `Error` if the
   * server cannot be reached or refuses.
   */
  readonly answer: (id: string, requestId: string, answer: PersonAnswer) => Promise<void>
  /** Sends a person's prompt to the session's program. Rejects like `answer`. */
  readonly prompt: (id: string, prompt: string) => Promise<void>
  readonly status: ConnectionStatus
  /** Calls the listener after each change of the connection's status. Returns a function that ends the subscription. */
  readonly subscribe: (listener: () => void) => () => void
  /** Ends the connection. The stores keep their states. */
  readonly close: () => void
}

/**
 * Connects to the sessions of a hub, and returns at once. One connection carries all sessions and their list, so a
 * page is far from the six that a browser opens to a server over HTTP/1.1. `url` is the address of the hub: that of a
 * session without its id. Throws a `TypeError` if it is no string.
 */
export function connectHub(url: string, options: ConnectHubOptions = {}): HubConnection {
  if (typeof url !== 'string') throw new TypeError('url: pass the address of a hub')
  const hub = new HubClient(url, options)
  return {
    session: (id) => hub.open(id),
    view: (id) => hub.sessionOf(id).view,
    sessions: { get: () => hub.list(), subscribe: (listener) => hub.subscribeToList(listener) },
    answer: (id, requestId, answer) => hub.post([id, 'requests', requestId], { answer }),
    prompt: (id, prompt) => hub.post([id, 'prompts'], { prompt }),
    get status() {
      return hub.stream.status
    },
    subscribe: (listener) => hub.stream.listeners.subscribe(listener),
    close: () => hub.stream.close(),
  }
}

/** A session's store with its status: the same object until the status changes. */
export interface SessionView {
  readonly store: SessionStore
  readonly status: ConnectionStatus
  /** Why the server does not give the session: with the status `refused` alone. */
  readonly error?: string
}

/** The longest address, in characters. Servers take 8,000 to 16,000. A session without its place gets a snapshot after a break. */
const LONGEST_ADDRESS = 6000

/** A session that nobody has open stays for that time, in ms: a page that changes its view opens it again at once. */
const GRACE_MS = 1000

class FollowedSession {
  readonly received = new ReceivedSession(createSessionStore())
  readonly listeners = new Listeners()
  view: SessionView = { store: this.received.store, status: 'connecting' }
  /** How many have it open. */
  count = 0
  /** Whether the stream asks for it. */
  isAsked = false

  show(status: ConnectionStatus, error?: string): void {
    const { view } = this
    if (status === view.status || view.status === 'ended' || view.status === 'refused') return
    this.view = omitUndefined({ ...view, status, error })
    callAll(this.listeners.all())
  }
}

class HubClient {
  readonly stream: MessageStream
  readonly #base: string
  readonly #query: string
  readonly #options: ConnectHubOptions
  readonly #sessions = new Map<string, FollowedSession>()
  readonly #listListeners = new Listeners()
  #summaries: readonly HubSessionSummary[] = []
  #hasList = false
  #isRestarting = false

  constructor(url: string, options: ConnectHubOptions) {
    const [path = '', query] = url.split('?')
    this.#base = path.replace(/\/$/, '')
    this.#query = query === undefined ? '' : `${query}&`
    this.#options = options
    this.stream = new MessageStream(options, {
      address: () => this.#address(),
      take: (message) => this.#take(message),
    })
    this.stream.listeners.subscribe(() => this.#showStatus())
    void this.stream.run()
  }

  sessionOf(id: string): FollowedSession {
    const session = this.#sessions.get(id) ?? new FollowedSession()
    this.#sessions.set(id, session)
    return session
  }

  open(id: string): SessionConnection {
    const session = this.sessionOf(id)
    session.count += 1
    if (!session.isAsked) this.#restart()
    let isClosed = false
    return {
      store: session.received.store,
      get status() {
        return isClosed ? 'ended' : session.view.status
      },
      subscribe: (listener) => session.listeners.subscribe(listener),
      close: () => {
        if (isClosed) return
        isClosed = true
        session.count -= 1
        if (session.count === 0) setTimeout(() => this.#leave(id, session), GRACE_MS)
      },
    }
  }

  list(): readonly HubSessionSummary[] {
    if (!this.#hasList) {
      this.#hasList = true
      this.#restart()
    }
    return this.#summaries
  }

  subscribeToList(listener: () => void): () => void {
    this.list()
    return this.#listListeners.subscribe(listener)
  }

  async post(path: readonly string[], body: Readonly<Record<string, unknown>>): Promise<void> {
    const { fetch: send = fetch } = this.#options
    const { headers } = await headersOf(this.#options)
    const all = new Headers(headers)
    all.set('content-type', 'application/json')
    const query = this.#query === '' ? '' : `?${this.#query.slice(0, -1)}`
    const address = `${[this.#base, ...path.map(encodeURIComponent)].join('/')}${query}`
    const init = { method: 'POST', headers: all, body: JSON.stringify(body) }
    // Each browser has words of its own, for developers.
    const response = await send(address, init).catch((cause: unknown) => {
      throw new Error('The server cannot be reached.', { cause })
    })
    if (response.ok) return
    const { code, message } = asObject(parseJson(await response.text()))
    const words = asString(message) ?? `The server answered ${response.status}`
    throw isHubErrorCode(code) ? new HubError(code, words) : new Error(words)
  }

  /** Somebody who opens several sessions at once causes one request. */
  #restart(): void {
    if (this.#isRestarting) return
    this.#isRestarting = true
    queueMicrotask(() => {
      this.#isRestarting = false
      this.stream.restart()
    })
  }

  #leave(id: string, session: FollowedSession): void {
    if (session.count > 0 || this.#sessions.get(id) !== session) return
    this.#sessions.delete(id)
    this.#restart()
  }

  #address(): string | undefined {
    const followed = [...this.#sessions].filter(([, { count, view }]) => count > 0 && isOpen(view.status))
    if (followed.length === 0 && !this.#hasList) return undefined
    for (const [, session] of followed) session.isAsked = true
    const parts = followed.map(([id]) => `session=${encodeURIComponent(id)}`)
    if (this.#hasList) parts.push('list=1')
    let length = parts.join('&').length
    for (const [, { received }] of followed) {
      const place = received.lastId === undefined ? undefined : `after=${encodeURIComponent(received.lastId)}`
      length += place?.length ?? 0
      if (place !== undefined && length <= LONGEST_ADDRESS) parts.push(place)
    }
    return `${this.#base}/events?${this.#query}${parts.join('&')}`
  }

  #take(message: EventSourceMessage): 'live' | undefined {
    const value: unknown = JSON.parse(message.data)
    if (message.event === 'sessions') this.#takeList(value)
    else if (message.event === 'session') this.#takeSummary(value)
    else return this.#takeSession(message, value) ? 'live' : undefined
    return 'live'
  }

  /** Returns whether the session is live now. */
  #takeSession(message: EventSourceMessage, value: unknown): boolean {
    const { session: id, message: words } = asObject(value)
    const session = this.#sessions.get(asString(id) ?? '')
    if (!session) return false
    if (message.event === 'end') session.show('ended')
    else if (message.event === 'refused') session.show('refused', asString(words))
    else if (session.received.take(message, () => value)) {
      session.show('live')
      return true
    }
    return false
  }

  #takeList(value: unknown): void {
    this.#setList(Array.isArray(value) ? value.filter(isSummary) : [])
  }

  #takeSummary(summary: unknown): void {
    if (!isSummary(summary)) return
    const others = this.#summaries.filter(({ id }) => id !== summary.id)
    // A session that changed stands before others of its time.
    this.#setList(summary.isDeleted ? others : [summary, ...others].sort(newestFirst))
  }

  #setList(summaries: readonly HubSessionSummary[]): void {
    this.#summaries = summaries
    callAll(this.#listListeners.all())
  }

  #showStatus(): void {
    const { status, refusal } = this.stream
    for (const session of this.#sessions.values()) {
      const isKnown = session.received.lastId !== undefined
      // A session is live when its own message says so: its missed events come after the stream.
      if (status === 'lost') {
        if (isKnown) session.show(status)
      } else if (status !== 'live' && session.count > 0) session.show(status, refusal)
    }
  }
}

function isOpen(status: ConnectionStatus): boolean {
  return status !== 'ended' && status !== 'refused'
}

function isSummary(value: unknown): value is HubSessionSummary {
  return isObject(value) && typeof value.id === 'string'
}
