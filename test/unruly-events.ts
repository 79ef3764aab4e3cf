import type fc from 'fast-check'
import type { SessionEvent } from '../src/index.ts'
import { unrulyLog } from '../src/testing/arbitraries/index.ts'

/** Unruly logs, typed as the reducer takes them. The reducer takes any value at run time. */
export function unrulyEvents(): fc.Arbitrary<SessionEvent[]> {
  return unrulyLog() as fc.Arbitrary<SessionEvent[]>
}
