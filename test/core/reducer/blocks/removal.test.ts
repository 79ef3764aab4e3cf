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
  delta,
  fold,
  lastStep,
  places,
  remove,
  resume,
  spawn,
  subagentBlock,
  text,
  toolUse,
  upsert,
  usage,
} from '../example.ts'

describe.each(places)('block:removed in $place', ({ conversationId, start }) => {
  const put = (id: string) => upsert(text(id), conversationId)
  const take = (id: string) => remove(id, conversationId)

  it('removes the block and keeps the others', () => {
    const { before, after, issue } = lastStep(...start, put('a'), put('b'), put('c'), take('b'))
    expect(blocksOf(after, conversationId).map(({ id }) => id)).toEqual(['a', 'c'])
    expect(findBlock(after, conversationId, 'c')).toBe(findBlock(before, conversationId, 'c'))
    expect(issue).toBeUndefined()
  })

  it('changes nothing for an unknown block', () => {
    const { before, after, issue } = lastStep(...start, put('a'), take('unknown'))
    expect(after).toBe(before)
    expect(issue).toBeUndefined()
  })

  it('makes a later delta have no effect', () => {
    const { before, after, issue } = lastStep(...start, put('a'), take('a'), delta('a', 'x', conversationId))
    expect(after).toBe(before)
    expect(issue?.code).toBe('delta-before-block')
  })

  it('makes a later upsert append', () => {
    const state = fold(...start, put('a'), put('b'), take('a'), put('a'))
    expect(blocksOf(state, conversationId).map(({ id }) => id)).toEqual(['b', 'a'])
  })

  it('makes a later pending upsert append, even if the block was final', () => {
    const final = upsert(text('a', { status: 'complete' }), conversationId)
    const { after, issue } = lastStep(...start, final, take('a'), put('a'))
    expect(blocksOf(after, conversationId)).toMatchObject([{ id: 'a', status: 'pending' }])
    expect(issue).toBeUndefined()
  })

  it('keeps the subagent of a removed block', () => {
    const { before, after } = lastStep(...start, spawn('C', { conversationId }), take('subagent:C'))
    expect(blocksOf(after, conversationId)).toEqual([])
    expect(findSubagent(after, 'C')).toBe(findSubagent(before, 'C'))
  })

  it('does not stop a repeated spawn from adding a subagent’s block again', () => {
    const again = spawn('C', { conversationId })
    const state = fold(...start, again, complete('C', { output: 'done' }), take('subagent:C'), again)
    expect(blocksOf(state, conversationId)).toMatchObject([
      { id: 'subagent:C', input: 'do', status: 'success', output: 'done' },
    ])
  })

  it('is not undone by a completion or a resume', () => {
    const removed = [...start, spawn('C', { conversationId }), take('subagent:C')]
    expect(blocksOf(fold(...removed, complete('C'), resume('C')), conversationId)).toEqual([])
  })

  it('keeps an announced subagent when another block of its call is removed', () => {
    const call = upsert(toolUse('a', { toolUseId: 'C' }), conversationId)
    const state = fold(...start, call, subagentBlock('C', {}, conversationId), take('a'))
    expect(blocksOf(state, conversationId).map(({ id }) => id)).toEqual(['subagent:C'])
    expect(findSubagent(state, 'C')?.status).toBe('pending')
  })

  it('removes a subagent that was only announced', () => {
    const state = fold(...start, subagentBlock('C', {}, conversationId), take('subagent:C'))
    expect(blocksOf(state, conversationId)).toEqual([])
    expect(findSubagent(state, 'C')).toBeUndefined()
  })
})

it('block:removed for an unknown conversation changes and creates nothing', () => {
  const { before, after, issue } = lastStep(remove('a', 'nobody'))
  expect(after).toBe(before)
  expect(issue).toBeUndefined()
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

it('a removed announced subagent can be announced again', () => {
  const state = fold(subagentBlock('C'), remove('subagent:C'), subagentBlock('C', { name: 'new' }))
  expect(state.blocks).toMatchObject([{ id: 'subagent:C', name: 'new' }])
  expect(state.subagents).toMatchObject([{ toolUseId: 'C', name: 'new', status: 'pending' }])
})
