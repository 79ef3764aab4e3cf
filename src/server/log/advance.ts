import { omitUndefined } from '../../core/json/fields.ts'
import { reduceSessionEvents } from '../../core/reducer/reduce.ts'
import type { PlacedState } from '../sync/snapshot.ts'
import type { LoggedEvent } from './session-log.ts'

/** The events that are folded together: a batch is folded faster than its events one by one. */
export const BATCH = 256

/** Returns the state after the events, with their last number. */
export function advance(placed: PlacedState, logged: readonly LoggedEvent[]): PlacedState {
  const last = logged.at(-1)
  if (!last) return placed
  const { seq, digest } = last
  const state = reduceSessionEvents(
    placed.state,
    logged.map(({ event }) => event),
  )
  return { epoch: placed.epoch, seq, ...omitUndefined({ digest }), state }
}
