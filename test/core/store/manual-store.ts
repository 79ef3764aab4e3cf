import { createSessionStore, type SessionEvent, type SessionStore } from '../../../src/entries/index.ts'
import { delta, fold } from '../reducer/example.ts'

/** Returns a store that folds with `flush` alone, with the state after these events. */
export function storeAfter(...events: readonly SessionEvent[]): SessionStore {
  return createSessionStore({ state: fold(...events), schedule: 'manual' })
}

/** Appends to the block `a` of the store, and folds the event. */
export function change(store: SessionStore): void {
  store.dispatch(delta('a', 'x'))
  store.flush()
}
