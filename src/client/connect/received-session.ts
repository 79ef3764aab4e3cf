import type { EventSourceMessage } from 'eventsource-parser'
import type { SessionStore } from '../../core/store/store.ts'
import { createSyncState, isStamped, receive } from '../../server/sync/sequence.ts'
import { restore } from '../../server/sync/snapshot.ts'

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
