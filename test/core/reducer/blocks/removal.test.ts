import { describe, expect, it } from 'vitest'
import {
  findBlock,
  findSubagent,
  reduceSessionEvent,
  type SessionEvent,
} from '../../../../src/entries/index.ts'
import {
  blocksOf,
  complete,
  fold,
  places,
  remove,
  spawn,
  subagentBlock,
  text,
  toolUse,
  upsert,
  usage,
} from '../example.ts'

describe.each(places)('block:removed in $place', ({ conversationId, start }) => {
  const take = (id: string) => remove(id, conversationId)

  it('keeps an announced subagent when another block of its call is removed', () => {
    const call = upsert(toolUse('a', { toolUseId: 'C' }), conversationId)
    const state = fold(...start, call, subagentBlock('C', {}, conversationId), take('a'))
    expect(blocksOf(state, conversationId).map(({ id }) => id)).toEqual(['subagent:C'])
    expect(findSubagent(state, 'C')?.status).toBe('pending')
  })
})

it('block:removed without a conversationId goes to main', () => {
  const state = fold(spawn('S'), upsert(text('a'), 'S'), upsert(text('a')), {
    type: 'block:removed',
    blockId: 'a',
  })
  expect(findBlock(state, 'main', 'a')).toBeUndefined()
  expect(findBlock(state, 'S', 'a')).toBeDefined()
})

describe('an announced subagent outlives its block', () => {
  it.each<[string, SessionEvent]>([
    ['it runs', spawn('C')],
    ['it has ended', complete('C')],
    ['it has a block', upsert(text('a'), 'C')],
    ['it has usage', usage('m', 1, { conversationId: 'C' })],
  ])('if %s', (_, event) => {
    const state = fold(subagentBlock('C'), event, remove('subagent:C'))
    expect(state.blocks).toEqual([])
    expect(findSubagent(state, 'C')).toBeDefined()
  })

  // Otherwise the child would name a parent that does not exist.
  it('if it is a parent, even if its child’s block is gone', () => {
    const child = [spawn('D', { conversationId: 'C' }), remove('subagent:D', 'C')]
    const state = fold(subagentBlock('C'), ...child, remove('subagent:C'))
    expect(findSubagent(state, 'D')?.parentConversationId).toBe('C')
    expect(findSubagent(state, 'C')).toBeDefined()
  })
})

// No reducer makes such a state, but a snapshot may hold it.
it('a subagent’s block is removed even if the state lacks the subagent', () => {
  const state = { ...fold(subagentBlock('C')), subagents: [] }
  expect(reduceSessionEvent(state, remove('subagent:C'))).toEqual({ ...state, blocks: [] })
})
