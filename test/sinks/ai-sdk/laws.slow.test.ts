import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toUIMessages, uiMessageSink } from '../../../src/entries/ai-sdk.ts'
import { sessionLog } from '../../../src/entries/arbitraries.ts'
import {
  createInitialConversationState,
  reduceSessionEvents,
  type SessionEvent,
} from '../../../src/entries/index.ts'
import { checkSink, replay } from '../../../src/entries/testing.ts'
import { unrulyEvents } from '../../unruly-events.ts'
import { eventsOf, inputs } from '../../wires/inputs.ts'
import { expectValid, type Major, readUpdates, throughWire, withoutAnswers } from './reader.ts'

/** The reader copies a message for each chunk, so a session of more events takes it seconds. Such a session is read once, without cuts. */
const LONG = 150

/** Every recording, half of them for each version: both readers have the same code for nearly all chunks. */
const recorded = inputs.map((input, at) => ({
  name: input.name,
  events: eventsOf(input),
  major: at % 2 === 0 ? (7 as const) : (6 as const),
  isInSample: at % 16 < 2,
}))

describe('the messages of the stream are those of the state', () => {
  const cut = recorded.filter(({ events, isInSample }) => isInSample && events.length <= LONG)

  it.each(cut)('$name, in version $major, for every cut', ({ events, major }) => checkLaw(major, events, 1))

  it.each(recorded.filter((each) => !cut.includes(each)))(
    '$name, in version $major, at once',
    async ({ events, major }) => {
      const state = reduceSessionEvents(createInitialConversationState(), events)
      const { out } = uiMessageSink.translate(uiMessageSink.initial, state)
      expect(seenBy(major, await readUpdates(major, out))).toEqual(expectedBy(major, toUIMessages(state)))
    },
  )

  it('of any session that a program may report', () =>
    fc.assert(
      fc.asyncProperty(sessionLog(), (events) => checkLaw(7, events, 3)),
      { numRuns: 25 },
    ))

  it('of any log, with late, doubled and misplaced events', () =>
    fc.assert(
      fc.asyncProperty(unrulyEvents(), (events) => checkLaw(7, events, 3)),
      { numRuns: 40 },
    ))
})

// An agent outlives its turn. Its old answer was open again behind the next prompt.
it('an answer that is over does not begin again behind a later prompt', () =>
  fc.assert(
    fc.property(sessionLog(), (events) => {
      const log = replay(events)
      const finished = new Set<string>()
      let memory = uiMessageSink.initial
      for (let at = 1; at <= log.length; at += 1) {
        const step = uiMessageSink.translate(memory, log.at(at))
        memory = step.memory
        const last = memory.view?.main.messages.at(-1)?.id
        for (const update of step.out) {
          if (update.type !== 'chunk' || update.messageId === last) continue
          if (update.chunk.type === 'start') finished.delete(update.messageId)
          if (update.chunk.type !== 'finish') continue
          expect(finished).not.toContain(update.messageId)
          finished.add(update.messageId)
        }
      }
    }),
  ))

describe('the validators of both versions accept the messages', () => {
  it.each(recorded)('$name', async ({ events }) => {
    const log = replay(events)
    const step = Math.max(10, Math.ceil(log.length / 2))
    for (let at = log.length; at >= 0; at -= step) {
      const messages = toUIMessages(log.at(at))
      if (messages.length > 0) await expectValid(messages)
    }
  })
})

function checkLaw(major: Major, events: readonly SessionEvent[], places: number): Promise<void> {
  return checkSink(uiMessageSink, events, {
    read: async (out) => seenBy(major, await readUpdates(major, out)),
    expected: (state) => expectedBy(major, toUIMessages(state)),
    places,
  })
}

/** Version 6 has no chunk for the answer to an approval. */
function seenBy(major: Major, messages: unknown): unknown {
  return major === 6 ? withoutAnswers(messages) : messages
}

function expectedBy(major: Major, messages: unknown): unknown {
  return seenBy(major, throughWire(messages))
}
