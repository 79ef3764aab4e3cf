import type fc from 'fast-check'
import { unrulyLog } from '../src/entries/arbitraries.ts'
import type { SessionEvent } from '../src/entries/index.ts'

/** Unruly logs, typed as the reducer takes them. The reducer takes any value at run time. */
export function unrulyEvents(): fc.Arbitrary<SessionEvent[]> {
  return unrulyLog() as fc.Arbitrary<SessionEvent[]>
}
