import { createSessionStore, type SessionEvent, type SessionStore } from '../../src/index.ts'
import { delta, fold } from '../reducer/example.ts'

/** A store that changes with `flush` alone, after some events. */
export function storeAfter(...events: readonly SessionEvent[]): SessionStore {
  return createSessionStore({ state: fold(...events), schedule: 'manual' })
}

/** A store with a block `a`, and what happens when it changes. */
export function change(store: SessionStore): void {
  store.dispatch(delta('a', 'x'))
  store.flush()
}
