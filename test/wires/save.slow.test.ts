import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { loadSession, saveSession } from '../../src/reading/save-session.ts'
import { inputs } from './inputs.ts'
import { outputOf, reloaded, stored } from './saved.ts'

/** Each save costs as much as the session so far, so an input of 850 messages took 40 s. A longer input is saved at as many places, evenly. */
const MOST_SAVES = 200

describe.each(inputs)('$name', ({ source, messages }) => {
  it('goes on with a session that is saved and loaded after each message as without that', () => {
    let [kept, loaded] = [source.open(), reloaded(source, source.open())]
    const step = Math.ceil(messages.length / MOST_SAVES)
    for (const [index, message] of messages.entries()) {
      const [expected, actual] = [source.read(kept, [message]), source.read(loaded, [message])]
      expectEqual(outputOf(actual), outputOf(expected), index)
      if (index % step > 0 && index < messages.length - 1) {
        kept = expected.session
        loaded = actual.session
        continue
      }
      const saved = saveSession(actual.session)
      const read = stored(saved)
      expectEqual(read, saved, index)
      kept = expected.session
      loaded = loadSession(source, read)
      expectEqual(loaded.state, kept.state, index)
      expectEqual(outputOf(source.end(loaded)), outputOf(source.end(kept)), index)
    }
    expect(saveSession(loaded)).toEqual(saveSession(kept))
  })
})

/** Compares thousands of large values. Only a difference needs the slow matcher. */
function expectEqual(actual: unknown, expected: unknown, index: number): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual, `message ${index}`).toStrictEqual(expected)
}
