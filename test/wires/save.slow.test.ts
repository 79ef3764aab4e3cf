import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { inputs } from './inputs.ts'
import { outputOf, stored } from './saved.ts'

describe.each(inputs)('$name', ({ source, messages }) => {
  it('goes on with a memory that is saved and loaded after every message as without that', () => {
    let [kept, loaded] = [source.initial, source.load(stored(source.save(source.initial)))]
    for (const [index, message] of messages.entries()) {
      const [expected, actual] = [source.translate(kept, message), source.translate(loaded, message)]
      expectEqual(outputOf(actual), outputOf(expected), index)
      const saved = source.save(actual.memory)
      const read = stored(saved)
      expectEqual(read, saved, index)
      kept = expected.memory
      loaded = source.load(read)
      expectEqual(source.end(loaded), source.end(kept), index)
    }
    expect(source.save(loaded)).toEqual(source.save(kept))
  })
})

/** Compares thousands of large values. Only a difference needs the slow matcher. */
function expectEqual(actual: unknown, expected: unknown, index: number): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual, `message ${index}`).toStrictEqual(expected)
}
