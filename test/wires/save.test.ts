import { describe, expect, it } from 'vitest'
import { createInitialConversationState, reduceSessionEvents } from '../../src/entries/index.ts'
import type { Reading } from '../../src/entries/source-kit.ts'
import { loadSession, saveSession } from '../../src/reading/save-session.ts'
import type { Session } from '../../src/reading/source.ts'
import { depth } from '../depth.ts'
import { expectSame } from '../expect-same.ts'
import { inputs, type RecordedInput } from './inputs.ts'
import { outputOf, stored } from './saved.ts'

/** The number of places in a recording at which its session is saved. */
const SAMPLES = depth({ few: 1, all: 8 })

type Input = Pick<RecordedInput, 'source' | 'messages'>

/** A session that was saved before a message. */
interface Sample {
  readonly index: number
  readonly session: Session
  readonly saved: unknown
  /** The last messages before the place. After a reconnect they arrive again. */
  readonly repeated: readonly unknown[]
}

describe.each(inputs)('$name', (input) => {
  const { source, messages } = input
  const { samples, readings } = run(input)
  const last = readings.at(-1)?.session ?? source.open()

  it('goes on from a saved and loaded session as from the session itself, in a batch as one by one', () => {
    for (const { index, session, saved, repeated } of samples) {
      const same = (actual: unknown, expected: unknown) =>
        expectSame(actual, expected, { recording: input.name, cut: `message ${index} of ${messages.length}` })
      same(stored(saved), saved)
      const loaded = loadSession(source, stored(saved))
      same(loaded.state, session.state)
      same(endOf(input, loaded), endOf(input, session))
      same(outputOf(source.read(loaded, repeated)), outputOf(source.read(session, repeated)))
      const rest = source.read(loaded, messages.slice(index).values())
      const expected = readings.slice(index)
      same(outputOf(rest), {
        events: expected.flatMap(({ events }) => events),
        issues: expected.flatMap(({ issues }, at) => issues.map((issue) => ({ ...issue, index: at }))),
      })
      same(saveSession(rest.session), saveSession(last))
    }
  })

  it('has the state that its events lead to, with unique ids, and nothing pending at an end', () => {
    const { state, events, ending } = endOf(input, last)
    const all = [...readings.flatMap((reading) => reading.events), ...events]
    expectSame(state, reduceSessionEvents(createInitialConversationState(), all), {
      recording: input.name,
    })
    for (const { blocks, ...thread } of [state, ...state.subagents]) {
      const ids = blocks.map(({ id }) => id)
      expect(ids).toEqual([...new Set(ids)])
      const own = 'toolUseId' in thread ? thread.toolUseId : 'main'
      expect(blocks.filter(({ conversationId }) => conversationId !== own)).toEqual([])
      if (ending !== 'open') expect(blocks.filter(({ status }) => /pending|running/.test(status))).toEqual([])
    }
  })
})

/** Reads the messages one by one, and saves some of the sessions. */
function run({ source, messages }: Input): {
  readonly samples: readonly Sample[]
  readonly readings: readonly Reading[]
} {
  const every = Math.ceil(messages.length / SAMPLES)
  const samples: Sample[] = []
  let session = source.open()
  const readings = messages.map((message, index) => {
    if (index % every === 0) {
      const repeated = messages.slice(Math.max(0, index - 8), index)
      samples.push({ index, session, saved: saveSession(session), repeated })
    }
    const reading = source.read(session, [message])
    session = reading.session
    return reading
  })
  return { samples, readings }
}

function endOf({ source }: Input, session: Session) {
  const end = source.end(session)
  return { ...outputOf(end), ending: end.ending, state: end.session.state }
}
