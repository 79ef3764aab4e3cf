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
  idle,
  lastStep,
  remove,
  resume,
  spawn,
  text,
  upsert,
  usage,
} from '../example.ts'

// T's own log uses the id X. Later another call has X as its toolUseId.
const named = [spawn('T', { agentId: 'X' })]
const collided = [...named, spawn('X')]

describe('a subagent is found by its agentId', () => {
  it.each<[string, readonly SessionEvent[], object]>([
    ['block:upsert', [upsert(text('a'), 'X')], { blocks: [{ id: 'a', conversationId: 'T' }] }],
    ['block:delta', [upsert(text('a'), 'T'), delta('a', 'x', 'X')], { blocks: [{ content: 'x' }] }],
    ['block:removed', [upsert(text('a'), 'T'), remove('a', 'X')], { blocks: [] }],
    ['session:idle', [upsert(text('a'), 'T'), idle('X')], { blocks: [{ status: 'complete' }] }],
    ['usage:reported', [usage('m', 1, { conversationId: 'X' })], { usage: [{ messageId: 'm' }] }],
    ['subagent:completed', [complete('X', { output: 'done' })], { status: 'success', output: 'done' }],
    ['subagent:resumed', [complete('T'), resume('X', { runId: 'r2' })], { status: 'running', runId: 'r2' }],
  ])('by %s', (_, events, expected) => {
    const { after, issue } = lastStep(...named, ...events)
    expect(after.subagents).toHaveLength(1)
    expect(after.subagents[0]).toMatchObject({ toolUseId: 'T', ...expected })
    expect(issue).toBeUndefined()
  })

  it('as a parent', () => {
    const state = fold(...named, spawn('C', { conversationId: 'X' }))
    expect(findSubagent(state, 'C')?.parentConversationId).toBe('T')
    expect(blocksOf(state, 'T')).toMatchObject([{ id: 'subagent:C', conversationId: 'T' }])
  })

  it('and its block shows the facts of an event under its agentId', () => {
    expect(fold(...named, complete('X', { output: 'done' })).blocks).toMatchObject([
      { id: 'subagent:T', status: 'success', output: 'done' },
    ])
  })
})

describe('a toolUseId wins over an equal agentId', () => {
  it('for a block', () => {
    const state = fold(...collided, upsert(text('a'), 'X'))
    expect(findBlock(state, 'T', 'a')).toBeUndefined()
    expect(findSubagent(state, 'X')).toMatchObject({
      toolUseId: 'X',
      blocks: [{ id: 'a', conversationId: 'X' }],
    })
  })

  it('for a completion', () => {
    const state = fold(...collided, complete('X'))
    expect(findSubagent(state, 'T')?.status).toBe('running')
    expect(findSubagent(state, 'X')?.status).toBe('success')
  })

  it('for a resume', () => {
    const state = fold(...collided, complete('X'), complete('T'), resume('X'))
    expect(findSubagent(state, 'T')?.status).toBe('success')
    expect(findSubagent(state, 'X')?.status).toBe('running')
  })

  it('for usage', () => {
    const state = fold(...collided, usage('m', 1, { conversationId: 'X' }))
    expect(findSubagent(state, 'T')?.usage).toEqual([])
    expect(findSubagent(state, 'X')?.usage).toHaveLength(1)
  })

  it('for a parent', () => {
    expect(
      findSubagent(fold(...collided, spawn('C', { conversationId: 'X' })), 'C')?.parentConversationId,
    ).toBe('X')
  })
})

// No reducer makes such a state, but a snapshot may hold it.
it('an agentId finds the first of several subagents that have it', () => {
  const { subagents, ...rest } = fold(spawn('T'), spawn('U'))
  const state = { ...rest, subagents: subagents.map((subagent) => ({ ...subagent, agentId: 'X' })) }
  const after = reduceSessionEvent(state, usage('m', 1, { conversationId: 'X' }))
  expect(after.subagents).toMatchObject([
    { toolUseId: 'T', usage: [{ messageId: 'm' }] },
    { toolUseId: 'U', usage: [] },
  ])
})

it('a spawn names its subagent by toolUseId alone, even if another has that id as agentId', () => {
  const state = fold(...collided)
  expect(state.subagents.map(({ toolUseId }) => toolUseId)).toEqual(['T', 'X'])
  expect(state.blocks.map(({ id }) => id)).toEqual(['subagent:T', 'subagent:X'])
})

it('a subagent’s block names its subagent by toolUseId alone, even if another has that id as agentId', () => {
  const block = upsert({ id: 'any', type: 'subagent', status: 'success', toolUseId: 'X', input: '' })
  const state = fold(...named, block)
  expect(state.subagents).toMatchObject([
    { toolUseId: 'T', status: 'running' },
    { toolUseId: 'X', status: 'success' },
  ])
})

it('blocks under an agentId stay with their subagent when a call with that id arrives', () => {
  const state = fold(...named, upsert(text('a'), 'X'), spawn('X'))
  expect(findBlock(state, 'T', 'a')).toBeDefined()
  expect(findSubagent(state, 'X')?.blocks).toEqual([])
})
