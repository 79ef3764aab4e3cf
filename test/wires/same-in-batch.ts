import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'
import type { Source } from '../../src/index.ts'
import { batchOf } from '../../src/session/reader.ts'

/** Each message in one long batch gives what it gives alone, and leaves the same memory in the end. */
export function expectSameInBatch<Memory>(source: Source<Memory>, messages: readonly unknown[]): void {
  const batch = batchOf(source, source.initial)
  const together = messages.map((message) => batch.translate(message))
  let memory = source.initial
  for (const [index, message] of messages.entries()) {
    const alone = source.translate(memory, message)
    memory = alone.memory
    const expected = { events: alone.events, issues: alone.issues }
    const { events, issues } = together[index] ?? {}
    // Only a difference needs the slow matcher.
    if (!isDeepStrictEqual({ events, issues }, expected))
      expect({ events, issues }, `message ${index}`).toEqual(expected)
  }
  expect(source.save(batch.finish())).toEqual(source.save(memory))
}
