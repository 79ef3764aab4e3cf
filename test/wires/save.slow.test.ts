import { describe, it } from 'vitest'
import { loadSession, saveSession } from '../../src/reading/save-session.ts'
import { expectSame } from '../expect-same.ts'
import { inputs } from './inputs.ts'
import { outputOf, reloaded, stored } from './saved.ts'

/** Each save costs as much as the session so far, so a longer input is saved at as many places, evenly. */
const MOST_SAVES = 8

describe.each(inputs)('$name', ({ name, source, messages }) => {
  const same = (actual: unknown, expected: unknown, index: number) =>
    expectSame(actual, expected, { recording: name, cut: `message ${index} of ${messages.length}` })

  it('goes on with a session that is saved and loaded on the way as without that', () => {
    let [kept, loaded] = [source.open(), reloaded(source, source.open())]
    const step = Math.ceil(messages.length / MOST_SAVES)
    for (const [index, message] of messages.entries()) {
      const [expected, actual] = [source.read(kept, [message]), source.read(loaded, [message])]
      same(outputOf(actual), outputOf(expected), index)
      if (index % step > 0 && index < messages.length - 1) {
        kept = expected.session
        loaded = actual.session
        continue
      }
      const saved = saveSession(actual.session)
      const read = stored(saved)
      same(read, saved, index)
      kept = expected.session
      loaded = loadSession(source, read)
      same(loaded.state, kept.state, index)
      same(outputOf(source.end(loaded)), outputOf(source.end(kept)), index)
    }
    same(saveSession(loaded), saveSession(kept), messages.length)
  })
})
