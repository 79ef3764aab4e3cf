import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'

// `toEqual` takes three times as long as Node for large states that are equal, and thousands of tests compare them. A setup file runs for each
// test file, and this module once for each worker.
expect.addEqualityTesters([areEqual])

/** Returns true for equal objects. The matcher itself decides about all others: it knows `expect.any` and ignores undefined fields. */
function areEqual(left: unknown, right: unknown): true | undefined {
  if (typeof left !== 'object' || typeof right !== 'object') return undefined
  try {
    return isDeepStrictEqual(left, right) || undefined
  } catch {
    // A value that throws when it is looked at, or that is nested too deep for Node.
    return undefined
  }
}
