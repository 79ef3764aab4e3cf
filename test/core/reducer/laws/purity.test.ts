import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import {
  createInitialConversationState,
  findBlock,
  reduceSessionEvent,
  reduceSessionEvents,
  type SessionConversationState,
  type SessionEvent,
} from '../../../../src/entries/index.ts'
import { deepFreeze, objectsIn } from '../../../objects.ts'
import { fold, statesOf, toolUse, upsert } from '../example.ts'
import { log } from './logs.ts'

const empty = createInitialConversationState()

describe('arguments', () => {
  it('may be deeply frozen', () => {
    fc.assert(
      fc.property(log, (events) => {
        let frozen = deepFreeze(empty)
        for (const event of deepFreeze(structuredClone(events)))
          frozen = deepFreeze(reduceSessionEvent(frozen, event))
        expect(frozen).toEqual(reduceSessionEvents(empty, events))
      }),
    )
  })

  it('that are events are not changed', () => {
    fc.assert(
      fc.property(log, (events) => {
        const text = JSON.stringify(events)
        reduceSessionEvents(empty, events)
        expect(JSON.stringify(events)).toBe(text)
      }),
    )
  })

  it('that are events are not frozen', () => {
    fc.assert(
      fc.property(log, (events) => {
        statesOf(events)
        reduceSessionEvents(empty, events)
        expect(frozenIn(events)).toEqual([])
      }),
    )
  })

  it('that are a state from JSON are neither changed nor frozen', () => {
    fc.assert(
      fc.property(log, log, (before, events) => {
        const text = JSON.stringify(reduceSessionEvents(empty, before))
        const state: SessionConversationState = JSON.parse(text)
        reduceSessionEvents(state, events)
        for (const event of events) reduceSessionEvent(state, event)
        expect(JSON.stringify(state)).toBe(text)
        expect(frozenIn(state)).toEqual([])
      }),
    )
  })

  it('that are the user’s own first state are neither changed nor frozen', () => {
    const parts = { blocks: [], usage: [], turn: { status: 'idle' }, subagents: [], session: {} } as const
    const state: SessionConversationState = structuredClone(parts)
    reduceSessionEvent(state, upsert(toolUse('a')))
    expect(state).toEqual(parts)
    expect(frozenIn(state)).toEqual([])
  })
})

describe('the state', () => {
  it('is frozen: root, session, blocks, subagents and ledger entries', () => {
    fc.assert(
      fc.property(log, (events) => {
        for (const state of [...statesOf(events), reduceSessionEvents(empty, events)])
          for (const part of partsOf(state)) expect(Object.isFrozen(part)).toBe(true)
      }),
    )
  })

  it('holds a copy of the block, not the event’s own', () => {
    const block = toolUse('a')
    expect(fold(upsert(block)).blocks[0]).not.toBe(block)
  })

  it('shares nested JSON with the event', () => {
    const input = { path: ['a', 'b'] }
    const block = findBlock(fold(upsert(toolUse('a', { input }))), 'main', 'a')
    expect(block?.type === 'tool_use' && block.input).toBe(input)
  })

  it('depends on the log alone: no clock and no randomness', () => {
    const asked = () => {
      throw new Error('the reducer asked for the time or for a random number')
    }
    vi.spyOn(Date, 'now').mockImplementation(asked)
    vi.spyOn(performance, 'now').mockImplementation(asked)
    vi.spyOn(Math, 'random').mockImplementation(asked)
    const events: SessionEvent[] = [upsert(toolUse('a'))]
    expect(reduceSessionEvents(empty, events)).toEqual(reduceSessionEvents(empty, events))
  })
})

function partsOf(state: SessionConversationState): readonly object[] {
  const threads = [state, ...state.subagents]
  return [state.session, ...threads, ...threads.flatMap(({ blocks, usage }) => [...blocks, ...usage])]
}

function frozenIn(value: unknown): readonly object[] {
  return objectsIn(value).filter((part) => Object.isFrozen(part))
}
