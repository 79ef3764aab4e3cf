import { describe, expect, it } from 'vitest'
import {
  createInitialConversationState,
  findSubagent,
  reduceSessionEvents,
  type SessionEvent,
} from '../../../../src/entries/index.ts'
import {
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

describe('a running placeholder without a parent is created for an unknown subagent', () => {
  it.each<[string, SessionEvent]>([
    ['block:upsert', upsert(text('a'), 'T')],
    ['usage:reported', usage('m', 1, { conversationId: 'T' })],
    ['subagent:resumed', resume('T')],
    ['the spawn of its child', spawn('C', { conversationId: 'T' })],
  ])('by %s', (_, event) => {
    const { after, issue } = lastStep(event)
    const created = findSubagent(after, 'T')
    expect(created).toMatchObject({ toolUseId: 'T', status: 'running' })
    expect(created).not.toHaveProperty('parentConversationId')
    expect(created).not.toHaveProperty('agentId')
    expect(created).not.toHaveProperty('prompt')
    expect(issue).toBeUndefined()
  })

  it('by the block of its child', () => {
    const state = fold(
      upsert({ id: 'any', type: 'subagent', status: 'running', toolUseId: 'C', input: '' }, 'T'),
    )
    expect(findSubagent(state, 'T')).toMatchObject({ status: 'running' })
    expect(findSubagent(state, 'C')).toMatchObject({ parentConversationId: 'T' })
  })

  it('with the first block of its conversation', () => {
    expect(fold(upsert(text('a'), 'T')).subagents).toEqual([
      { toolUseId: 'T', status: 'running', usage: [], blocks: [{ ...text('a'), conversationId: 'T' }] },
    ])
  })

  it('under the empty id too', () => {
    expect(fold(upsert(text('a'), '')).subagents).toMatchObject([
      { toolUseId: '', blocks: [{ conversationId: '' }] },
    ])
  })
})

describe('no placeholder is created', () => {
  it.each<[string, SessionEvent]>([
    ['block:delta', delta('a', 'x', 'T')],
    ['block:removed', remove('a', 'T')],
    ['session:idle', idle('T')],
    ['session:updated', { type: 'session:updated', conversationId: 'T', facts: {} }],
    ['a completion’s conversationId', complete('main', { conversationId: 'T' })],
  ])('by %s', (_, event) => {
    const empty = createInitialConversationState()
    expect(reduceSessionEvents(empty, [event])).toBe(empty)
  })

  it('by the conversationId of a completion or a resume, which is not a parent', () => {
    const state = fold(
      spawn('C'),
      complete('C', { conversationId: 'T' }),
      resume('C', { conversationId: 'T' }),
    )
    expect(state.subagents).toMatchObject([{ toolUseId: 'C', parentConversationId: 'main' }])
  })
})

describe('a later spawn', () => {
  it('fills in missing facts and adds the block to its parent', () => {
    const late = spawn('T', { prompt: 'go', subagentType: 'Explore', description: 'looks', runId: 'r1' })
    const state = fold(upsert(text('a'), 'T'), late)
    expect(state.subagents).toMatchObject([
      { parentConversationId: 'main', prompt: 'go', name: 'Explore', description: 'looks', runId: 'r1' },
    ])
    expect(state.blocks).toMatchObject([
      { id: 'subagent:T', input: 'go', name: 'Explore', description: 'looks', status: 'running' },
    ])
  })

  it('keeps the blocks and the usage', () => {
    const { before, after } = lastStep(
      upsert(text('a'), 'T'),
      usage('m', 1, { conversationId: 'T' }),
      spawn('T'),
    )
    expect(findSubagent(after, 'T')?.blocks).toBe(findSubagent(before, 'T')?.blocks)
    expect(findSubagent(after, 'T')?.usage).toBe(findSubagent(before, 'T')?.usage)
  })

  it('keeps the position in the list', () => {
    const state = fold(upsert(text('a'), 'T'), spawn('U'), spawn('T'))
    expect(state.subagents.map(({ toolUseId }) => toolUseId)).toEqual(['T', 'U'])
  })

  it('keeps a final status', () => {
    const state = fold(upsert(text('a'), 'T'), complete('T', { status: 'error' }), spawn('T'))
    expect(state.subagents).toMatchObject([{ status: 'error' }])
    expect(state.blocks).toMatchObject([{ id: 'subagent:T', status: 'error' }])
  })

  it('keeps the prompt of an earlier resume', () => {
    const state = fold(resume('T', { prompt: 'first' }), spawn('T', { prompt: 'second' }))
    expect(state.subagents).toMatchObject([{ prompt: 'first' }])
    expect(state.blocks).toMatchObject([{ input: 'first' }])
  })

  it('gives a parent its own parent', () => {
    const state = fold(spawn('C', { conversationId: 'T' }), spawn('T'))
    expect(findSubagent(state, 'C')?.parentConversationId).toBe('T')
    expect(findSubagent(state, 'T')?.parentConversationId).toBe('main')
  })
})
