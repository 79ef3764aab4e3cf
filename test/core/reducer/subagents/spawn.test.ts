import { describe, expect, it } from 'vitest'
import { findSubagent } from '../../../../src/entries/index.ts'
import { blocksOf, complete, fold, lastStep, places, remove, spawn, text, upsert } from '../example.ts'

const at = (second: number) => `2025-01-01T00:00:0${second}Z`

describe.each(places)('a spawn in $place', ({ conversationId, canonicalId, start }) => {
  const full = spawn('T', {
    conversationId,
    timestamp: at(1),
    prompt: 'go',
    subagentType: 'Explore',
    description: 'looks',
    agentId: 'X',
    runId: 'r1',
    messageId: 'm1',
  })

  it('adds the block to its parent', () => {
    const state = fold(...start, upsert(text('a'), conversationId), full)
    expect(blocksOf(state, conversationId)[1]).toEqual({
      type: 'subagent',
      id: 'subagent:T',
      conversationId: canonicalId,
      timestamp: at(1),
      messageId: 'm1',
      toolUseId: 'T',
      agentId: 'X',
      name: 'Explore',
      description: 'looks',
      input: 'go',
      status: 'running',
    })
  })

  it('adds the subagent to the flat list', () => {
    const state = fold(...start, full)
    expect(state.subagents.at(-1)).toEqual({
      toolUseId: 'T',
      agentId: 'X',
      parentConversationId: canonicalId,
      name: 'Explore',
      description: 'looks',
      prompt: 'go',
      runId: 'r1',
      status: 'running',
      blocks: [],
      usage: [],
    })
  })

  it('leaves unknown facts absent', () => {
    const state = fold(...start, spawn('T', { conversationId, prompt: '' }))
    expect(blocksOf(state, conversationId)).toEqual([
      {
        type: 'subagent',
        id: 'subagent:T',
        conversationId: canonicalId,
        toolUseId: 'T',
        input: '',
        status: 'running',
      },
    ])
    expect(state.subagents.at(-1)).toEqual({
      toolUseId: 'T',
      parentConversationId: canonicalId,
      status: 'running',
      blocks: [],
      usage: [],
    })
  })

  it('changes nothing when it is repeated', () => {
    const { before, after, issue } = lastStep(...start, full, full)
    expect(after).toBe(before)
    expect(issue).toBeUndefined()
  })

  it('only adds unknown facts when it is repeated', () => {
    const bare = spawn('T', { conversationId, prompt: 'first' })
    const state = fold(...start, bare, full)
    const known = { agentId: 'X', name: 'Explore', description: 'looks' }
    expect(state.subagents.at(-1)).toMatchObject({ ...known, prompt: 'first', runId: 'r1' })
    expect(blocksOf(state, conversationId)).toMatchObject([
      { ...known, input: 'first', messageId: 'm1', timestamp: at(1) },
    ])
  })

  it('replaces no known fact when it is repeated', () => {
    const other = spawn('T', {
      conversationId,
      timestamp: at(2),
      prompt: 'other',
      subagentType: 'Other',
      description: 'other',
      runId: 'r2',
      messageId: 'm2',
    })
    const { before, after } = lastStep(...start, full, other)
    expect(after).toBe(before)
  })

  it('fills an empty prompt when it is repeated', () => {
    const state = fold(...start, spawn('T', { conversationId, prompt: '' }), full)
    expect(state.subagents.at(-1)).toMatchObject({ prompt: 'go' })
    expect(blocksOf(state, conversationId)).toMatchObject([{ input: 'go' }])
  })

  it('keeps a prompt when it is repeated with an empty one', () => {
    const { before, after } = lastStep(...start, full, spawn('T', { conversationId, prompt: '' }))
    expect(after).toBe(before)
  })

  it.each(['completed', 'error'] as const)('keeps a final status when it is repeated: %s', (status) => {
    const { before, after } = lastStep(...start, full, complete('T', { status }), full)
    expect(after).toBe(before)
  })

  it('adds a removed block again, with all known facts', () => {
    const gone = [full, complete('T', { output: 'done' }), remove('subagent:T', conversationId)]
    const state = fold(...start, ...gone, spawn('T', { conversationId }))
    expect(blocksOf(state, conversationId)).toMatchObject([
      { id: 'subagent:T', input: 'go', name: 'Explore', output: 'done', status: 'success' },
    ])
  })
})

it('a spawn without a conversationId goes to main', () => {
  const state = fold(spawn('T'))
  expect(state.blocks).toMatchObject([{ id: 'subagent:T' }])
  expect(state.subagents).toMatchObject([{ parentConversationId: 'main' }])
})

it('nested subagents are in one flat list, each block in its own parent', () => {
  const state = fold(spawn('A'), spawn('B', { conversationId: 'A' }), spawn('C', { conversationId: 'B' }))
  expect(state.subagents.map(({ toolUseId }) => toolUseId)).toEqual(['A', 'B', 'C'])
  expect(state.blocks.map(({ id }) => id)).toEqual(['subagent:A'])
  expect(blocksOf(state, 'A').map(({ id }) => id)).toEqual(['subagent:B'])
  expect(blocksOf(state, 'B').map(({ id }) => id)).toEqual(['subagent:C'])
})

describe('another parent', () => {
  const placed = [spawn('P'), spawn('Q'), spawn('T', { conversationId: 'P' })]

  it('does not replace the first known one', () => {
    const { before, after, issue } = lastStep(...placed, spawn('T', { conversationId: 'Q' }))
    expect(after).toBe(before)
    expect(issue?.code).toBe('parent-conflict')
  })

  it('gets no placeholder', () => {
    const { before, after, issue } = lastStep(...placed, spawn('T', { conversationId: 'unknown' }))
    expect(after).toBe(before)
    expect(issue?.code).toBe('parent-conflict')
  })

  it('does not stop the event from filling in unknown facts', () => {
    const state = fold(...placed, spawn('T', { conversationId: 'Q', subagentType: 'Explore' }))
    expect(findSubagent(state, 'T')).toMatchObject({ parentConversationId: 'P', name: 'Explore' })
    expect(blocksOf(state, 'P')).toMatchObject([{ id: 'subagent:T', name: 'Explore' }])
  })

  it('is no conflict if it is the other id of the first one', () => {
    const { before, after, issue } = lastStep(
      spawn('P', { agentId: 'agent-p' }),
      spawn('T', { conversationId: 'P' }),
      spawn('T', { conversationId: 'agent-p' }),
    )
    expect(after).toBe(before)
    expect(issue).toBeUndefined()
  })
})
