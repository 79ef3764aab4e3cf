import type { EventSourceMessage } from 'eventsource-parser'
import { createSessionStore, type SessionStore } from '../../core/store/store.ts'
import { createSyncState, isStamped, receive } from '../../server/sync/sequence.ts'
import { restore } from '../../server/sync/snapshot.ts'
import { type ConnectionStatus, MessageStream, type StreamOptions } from './message-stream.ts'

/** The options of `connectSession`. */
export interface ConnectOptions extends StreamOptions {
  /** The store that follows the session. By default the connection makes one. */
  readonly store?: SessionStore
  /** Reads the JSON of the server. The default is `JSON.parse`. */
  readonly parse?: (text: string) => unknown
}

/** A session that a page follows. */
export interface SessionConnection {
  readonly store: SessionStore
  readonly status: ConnectionStatus
  /** Calls the listener after each change of the status. Returns a function that ends the subscription. */
  readonly subscribe: (listener: () => void) => () => void
  /** Ends the connection. The store keeps its state. */
  readonly close: () => void
}

/**
 * Follows a session of a hub, and returns at once. The store gets a snapshot, and then each event once and in order.
 * After a break the connection asks for the events that it lacks. After a restart of the server or of the log it
 * takes the new state. Throws a `TypeError` if the address is no string.
 */
export function connectSession(url: string, options: ConnectOptions = {}): SessionConnection {
  if (typeof url !== 'string') throw new TypeError('url: pass the address of a session')
  const { parse = JSON.parse, store = createSessionStore() } = options
  const session = new ReceivedSession(store)
  const stream = new MessageStream(options, {
    // The place is in the address: with a header of its own, a browser would ask another origin first.
    address: () =>
      session.lastId === undefined
        ? url
        : `${url}${url.includes('?') ? '&' : '?'}after=${encodeURIComponent(session.lastId)}`,
    take: (message: EventSourceMessage) => {
      if (message.event === 'end') return 'ended'
      return session.take(message, () => parse(message.data)) ? 'live' : undefined
    },
  })
  void stream.run()
  return {
    store,
    get status() {
      return stream.status
    },
    subscribe: (listener) => stream.listeners.subscribe(listener),
    close: () => stream.close(),
  }
}

/** Takes the messages of one session into its store: each event once and in order. */
export class ReceivedSession {
  readonly store: SessionStore
  /** The place of the last message, as the server names it. Undefined before the first one. */
  lastId: string | undefined
  #sync = createSyncState()

  constructor(store: SessionStore) {
    this.store = store
  }

  /** Returns whether the store now has the state of the server. */
  take({ event, id }: EventSourceMessage, read: () => unknown): boolean {
    if (event === 'live') {
      // The page must not show the old state as the newest one until the next frame.
      this.store.flush()
      return true
    }
    if (event === 'snapshot') this.#takeSnapshot(read())
    else this.#takeEvent(read())
    this.lastId = id
    return event === 'snapshot'
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
      this.lastId = undefined
      throw new TypeError('the message of the server does not follow the last one')
    }
    this.#sync = received.sync
    this.store.dispatchAll(received.events)
  }
}
