import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  incomingBlock,
  malformedEvent,
  sessionEvent,
  sessionLog,
  unrulyLog,
} from '../../../src/entries/arbitraries.ts'
import {
  buildSessionTree,
  createInitialConversationState,
  foldSessionEvents,
  isConversationEvent,
  parseSessionEvent,
  reduceSessionEvents,
  type SessionEvent,
  type SubagentState,
} from '../../../src/entries/index.ts'
import { depth, runs } from '../../depth.ts'
import { unrulyEvents } from '../../unruly-events.ts'

const empty = createInitialConversationState()
const sample = <Value>(arbitrary: fc.Arbitrary<Value>) =>
  fc.sample(arbitrary, { numRuns: depth({ few: 250, all: 1000 }), seed: 1 })
const typesOf = (events: readonly SessionEvent[]) => new Set(events.map(({ type }) => type))

describe('the log of a session', () => {
  it('gives no reducer issue', () => {
    fc.assert(
      fc.property(sessionLog(), (events) => {
        expect(foldSessionEvents(empty, events).issues).toEqual([])
      }),
      { numRuns: runs(500) },
    )
  })

  it('leaves only running agents pending, and puts every agent below its parent', () => {
    fc.assert(
      fc.property(sessionLog(), (events) => {
        const { blocks, subagents } = reduceSessionEvents(empty, events)
        for (const { status } of [...blocks, ...subagents.flatMap((each) => each.blocks)])
          expect(status).not.toBe('pending')
        for (const { parentConversationId } of subagents) expect(parentConversationId).toBeDefined()
      }),
    )
  })

  it('has nested, parallel, failed and still running agents', () => {
    const states = sample(sessionLog()).map((events) => reduceSessionEvents(empty, events))
    const agents = states.flatMap(({ subagents }): readonly SubagentState[] => subagents)
    expect(new Set(agents.map(({ status }) => status))).toEqual(new Set(['success', 'error', 'running']))
    expect(agents.some(({ parentConversationId }) => parentConversationId !== 'main')).toBe(true)
    const together = sample(sessionLog()).filter((events) => {
      const ids = events.flatMap((event) => (event.type === 'block:delta' ? [event.conversationId] : []))
      return ids.some((id, at) => id !== ids[at + 1] && ids.includes(id, at + 2))
    })
    expect(together.length).toBeGreaterThan(0)
    for (const state of states) expect(buildSessionTree(state).conversationId).toBe('main')
  })
})

describe('unruly logs', () => {
  it('have events of all types, and values that are not events', () => {
    const events = sample(unrulyLog()).flat()
    expect(typesOf(events.filter(isConversationEvent)).size).toBe(12)
    expect(events.some((event) => !isConversationEvent(event))).toBe(true)
  })

  it('give all reducer issues', () => {
    const codes = new Set(
      sample(unrulyEvents()).flatMap((events) =>
        foldSessionEvents(empty, events).issues.map(({ code }) => code),
      ),
    )
    expect(codes.size).toBe(13)
  })
})

it('sessionEvent gives valid events of all types', () => {
  const events = sample(sessionEvent())
  expect(events.filter((event) => !isConversationEvent(event))).toEqual([])
  expect(typesOf(events).size).toBe(12)
})

it('incomingBlock gives valid blocks of all types', () => {
  const blocks = sample(incomingBlock())
  for (const block of blocks) expect(parseSessionEvent({ type: 'block:upsert', block }).ok).toBe(true)
  expect(new Set(blocks.map(({ type }) => type)).size).toBe(10)
})

it('malformedEvent gives no valid event', () => {
  expect(sample(malformedEvent()).filter(isConversationEvent)).toEqual([])
})
