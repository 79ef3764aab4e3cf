import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type ConversationThread,
  createInitialConversationState,
  reduceSessionEvent,
  reduceSessionEvents,
  type SessionConversationState,
  stepSessionEvent,
} from '../../../../src/entries/index.ts'
import { statesOf } from '../example.ts'
import { anyEvent, log } from './logs.ts'
import { oracleReduce } from './oracle.ts'

const empty = createInitialConversationState()

it('follows the rules with a state from JSON', () => {
  fc.assert(
    fc.property(log, anyEvent, (events, event) => {
      const state: SessionConversationState = JSON.parse(JSON.stringify(reduceSessionEvents(empty, events)))
      expect(reduceSessionEvent(state, event)).toEqual(oracleReduce(state, event))
    }),
  )
})

describe('a batch', () => {
  it('gives the state of one by one, wherever the log is cut in two', () => {
    fc.assert(
      fc.property(log, (events) => {
        const states = statesOf(events)
        for (const [at, state] of states.entries()) {
          expect(reduceSessionEvents(empty, events.slice(0, at))).toEqual(state)
          expect(reduceSessionEvents(state, events.slice(at))).toEqual(states.at(-1))
        }
      }),
    )
  })

  it('gives the state of one by one, however the log is cut into frames', () => {
    fc.assert(
      fc.property(fc.array(log, { maxLength: 5 }), (frames) => {
        const state = frames.reduce((before, frame) => reduceSessionEvents(before, frame), empty)
        expect(state).toEqual(statesOf(frames.flat()).at(-1))
      }),
    )
  })

  it('takes any iterable', () => {
    fc.assert(
      fc.property(log, (events) => {
        expect(reduceSessionEvents(empty, new Set(events).values())).toEqual(
          reduceSessionEvents(empty, [...new Set(events)]),
        )
      }),
    )
  })

  it('without events is the same state', () => {
    fc.assert(
      fc.property(log, (events) => {
        const state = reduceSessionEvents(empty, events)
        expect(reduceSessionEvents(state, [])).toBe(state)
      }),
    )
  })
})

it('reduce, step and a batch of one give the same state', () => {
  fc.assert(
    fc.property(log, (events) => {
      let state = empty
      for (const event of events) {
        const { state: stepped } = stepSessionEvent(state, event)
        expect(reduceSessionEvent(state, event)).toEqual(stepped)
        expect(reduceSessionEvents(state, [event])).toEqual(stepped)
        state = stepped
      }
    }),
  )
})

describe('nothing changed', () => {
  it('is the same reference', () => {
    fc.assert(
      fc.property(log, (events) => {
        let before = empty
        for (const event of events) {
          const after = reduceSessionEvent(before, event)
          if (isDeepStrictEqual(after, before)) expect(after).toBe(before)
          before = after
        }
      }),
      { numRuns: 300 },
    )
  })

  it('holds for the repetition of every event but a delta', () => {
    fc.assert(
      fc.property(log, anyEvent, (events, event) => {
        fc.pre(event.type !== 'block:delta')
        const [, once, twice] = statesOf([event, event], reduceSessionEvents(empty, events))
        expect(twice).toBe(once)
      }),
      { numRuns: 300 },
    )
  })

  it('keeps the reference of every equal part', () => {
    fc.assert(
      fc.property(log, (events) => {
        let before = empty
        for (const event of events) {
          const after = reduceSessionEvent(before, event)
          expectShared(before, after)
          before = after
        }
      }),
      { numRuns: 300 },
    )
  })
})

describe('time travel', () => {
  it('does not change older states', () => {
    fc.assert(
      fc.property(log, (events) => {
        const states = statesOf(events)
        const copies = states.map((state) => JSON.stringify(state))
        for (const state of states) reduceSessionEvents(state, events)
        expect(states.map((state) => JSON.stringify(state))).toEqual(copies)
      }),
      { numRuns: 50 },
    )
  })

  it('gives each branch of a state the result that it would get alone', () => {
    fc.assert(
      fc.property(log, log, log, (trunk, left, right) => {
        const state = reduceSessionEvents(empty, trunk)
        const [leftEnd, rightEnd] = [reduceSessionEvents(state, left), reduceSessionEvents(state, right)]
        expect(leftEnd).toEqual(reduceSessionEvents(empty, [...trunk, ...left]))
        expect(rightEnd).toEqual(reduceSessionEvents(empty, [...trunk, ...right]))
      }),
    )
  })

  it('continues from an older state that newer states were made from', () => {
    fc.assert(
      fc.property(log, (events) => {
        const states = statesOf(events)
        for (const [at, event] of [...events.entries()].reverse())
          expect(reduceSessionEvent(states[at] ?? empty, event)).toEqual(states[at + 1])
      }),
    )
  })
})

function expectShared(before: SessionConversationState, after: SessionConversationState): void {
  expectSharedThread(before, after)
  expectSameIfEqual(before.subagents, after.subagents)
  expectSameIfEqual(before.session, after.session)
  for (const subagent of after.subagents) {
    const earlier = before.subagents.find(({ toolUseId }) => toolUseId === subagent.toolUseId)
    if (!earlier) continue
    expectSameIfEqual(earlier, subagent)
    expectSharedThread(earlier, subagent)
  }
}

function expectSharedThread(before: ConversationThread, after: ConversationThread): void {
  expectSameIfEqual(before.blocks, after.blocks)
  expectSameIfEqual(before.usage, after.usage)
  for (const block of after.blocks)
    expectSameIfEqual(
      before.blocks.find(({ id }) => id === block.id),
      block,
    )
  for (const entry of after.usage)
    expectSameIfEqual(
      before.usage.find(({ messageId }) => messageId === entry.messageId),
      entry,
    )
}

function expectSameIfEqual(before: unknown, after: unknown): void {
  if (before !== after && isDeepStrictEqual(before, after)) expect(after).toBe(before)
}
