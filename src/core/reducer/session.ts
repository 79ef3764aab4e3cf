import type { EventOf } from '../events/event.ts'
import { isEqual } from '../json/equal.ts'
import { omitUndefined } from '../json/fields.ts'
import type { Batch } from './batch.ts'

/** Adds new facts of the session. */
export function updateSession(batch: Batch, event: EventOf<'session:updated'>): undefined {
  const session = { ...batch.session, ...omitUndefined(event.facts) }
  if (!isEqual(batch.session, session)) batch.session = Object.freeze(session)
}
