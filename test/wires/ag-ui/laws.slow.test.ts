import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type AgUiEvent, agUiSink } from '../../../src/entries/ag-ui.ts'
import { sessionLog } from '../../../src/entries/arbitraries.ts'
import {
  createInitialConversationState,
  reduceSessionEvents,
  type SessionEvent,
} from '../../../src/entries/index.ts'
import { checkSink } from '../../../src/entries/testing.ts'
import { unrulyEvents } from '../../unruly-events.ts'
import { eventsOf, inputs } from '../inputs.ts'
import { readEvents, seenInState } from './reader.ts'

/** The client copies all messages for each event, so a session of more events takes it seconds. Such a session is read at once. */
const LONG = 80

/** A client takes long for such a session, so one of eight is read. */
const VERY_LONG = 150

/** Each recording has one size of batches, and some short ones have every way to cut. */
const recorded = inputs.map((input, at) => {
  const events = eventsOf(input)
  const size = events.length > LONG ? Math.ceil(events.length / 3) : ([1, 3, 10][at % 3] ?? 1)
  const isInSample = events.length <= LONG && at % 24 === 0
  return { name: input.name, events, size, isInSample, isRead: events.length <= VERY_LONG || at % 8 === 0 }
})

describe('the client of AG-UI has the messages and the shared state of the session', () => {
  it.each(recorded.filter(({ isInSample }) => isInSample))('$name, for every cut', ({ events }) =>
    checkLaw(events, 1),
  )

  it.each(recorded.filter(({ isInSample, isRead }) => isRead && !isInSample))(
    '$name, in batches of $size',
    async ({ events, size }) => {
      const state = reduceSessionEvents(createInitialConversationState(), events)
      expect(await read(eventsInBatches(events, size))).toEqual(throughJson(seenInState(state)))
    },
  )

  it('of any session that a program may report', () =>
    fc.assert(
      fc.asyncProperty(sessionLog(), (events) => checkLaw(events, 3)),
      { numRuns: 8 },
    ))

  it('of any log, with late, doubled and misplaced events', () =>
    fc.assert(
      fc.asyncProperty(unrulyEvents(), (events) => checkLaw(events, 3)),
      { numRuns: 15 },
    ))
})

function eventsInBatches(events: readonly SessionEvent[], size: number): readonly AgUiEvent[] {
  let state = createInitialConversationState()
  let memory = agUiSink.initial
  const out: AgUiEvent[] = []
  for (let at = 0; at < events.length; at += size) {
    state = reduceSessionEvents(state, events.slice(at, at + size))
    const step = agUiSink.translate(memory, state)
    out.push(...step.out)
    memory = step.memory
  }
  return [...out, ...agUiSink.end(memory, state).out]
}

function checkLaw(events: readonly SessionEvent[], places: number): Promise<void> {
  return checkSink(agUiSink, events, { read, expected: seenInState, places })
}

async function read(out: readonly AgUiEvent[]) {
  const { conversations, state } = await readEvents(out)
  return { conversations, state }
}

function throughJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}
