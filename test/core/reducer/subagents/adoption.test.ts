import { describe, expect, it } from 'vitest'
import {
  findSubagent,
  reduceSessionEvent,
  reduceSessionEvents,
  type SessionEvent,
} from '../../../../src/entries/index.ts'
import {
  blocksOf,
  complete,
  delta,
  fold,
  lastStep,
  resume,
  spawn,
  subagentBlock,
  text,
  toolUse,
  upsert,
  usage,
} from '../example.ts'

// The agent's own log names it X. No event has linked X to a call yet.
const placeholder = [
  spawn('other'),
  upsert(text('a', { content: 'hi' }), 'X'),
  usage('m', 3, { conversationId: 'X' }),
  spawn('C', { conversationId: 'X' }),
  spawn('last'),
]

describe.each<[string, SessionEvent]>([
  ['spawn', spawn('T', { agentId: 'X' })],
  ['subagent’s block', subagentBlock('T', { agentId: 'X', status: 'running', input: 'do' })],
  ['completion', complete('T', { agentId: 'X' })],
])('a %s that names an agent adopts its placeholder', (_, link) => {
  const state = fold(...placeholder, link)
  const adopted = findSubagent(state, 'T')

  it('and both ids find the subagent', () => {
    expect(adopted).toMatchObject({ toolUseId: 'T', agentId: 'X' })
    expect(findSubagent(state, 'X')).toBe(adopted)
  })

  it('at the placeholder’s position in the list', () => {
    expect(state.subagents.map(({ toolUseId }) => toolUseId)).toEqual(['other', 'T', 'C', 'last'])
  })

  it('with its blocks, which get the new conversationId', () => {
    expect(adopted?.blocks).toMatchObject([
      { id: 'a', content: 'hi', conversationId: 'T' },
      { id: 'subagent:C', conversationId: 'T' },
    ])
  })

  it('with its usage', () => {
    expect(adopted?.usage).toEqual([{ messageId: 'm', outputTokens: 3, final: true }])
  })

  it('with its plan, also if that changes in the same batch', () => {
    const plan = (todo: string): SessionEvent => ({
      type: 'todos:updated',
      conversationId: 'X',
      todos: [{ text: todo, status: 'pending' }],
    })
    const before = fold(...placeholder, plan('first'))
    const { todos } = findSubagent(reduceSessionEvents(before, [plan('second'), link]), 'T') ?? {}
    expect(todos).toEqual([{ text: 'second', status: 'pending' }])
  })

  it('with its children, which get the new parent', () => {
    expect(findSubagent(state, 'C')).toMatchObject({ parentConversationId: 'T' })
  })

  it('without an issue', () => {
    expect(lastStep(...placeholder, link).issue).toBeUndefined()
  })

  it('and keeps the references of the other subagents', () => {
    const { before, after } = lastStep(...placeholder, link)
    for (const id of ['other', 'last']) expect(findSubagent(after, id)).toBe(findSubagent(before, id))
  })

  it('and later events may use either id', () => {
    const later = fold(
      ...placeholder,
      link,
      delta('a', '!', 'X'),
      upsert(text('b'), 'T'),
      upsert(text('c'), 'X'),
    )
    expect(blocksOf(later, 'T').map(({ id }) => id)).toEqual(['a', 'subagent:C', 'b', 'c'])
    expect(blocksOf(later, 'T')[0]).toMatchObject({ content: 'hi!' })
  })

  it('and the same event again changes nothing', () => {
    const { before, after, issue } = lastStep(...placeholder, link, link)
    expect(after).toBe(before)
    expect(issue).toBeUndefined()
  })
})

it('the spawn adds the block of the adopted agent to its parent', () => {
  const state = fold(spawn('P'), ...placeholder, spawn('T', { agentId: 'X', conversationId: 'P' }))
  expect(findSubagent(state, 'T')).toMatchObject({ parentConversationId: 'P', prompt: 'do' })
  expect(blocksOf(state, 'P')).toMatchObject([{ id: 'subagent:T', agentId: 'X', conversationId: 'P' }])
})

it('an adopted agent keeps its known facts', () => {
  const resumed = resume('X', { prompt: 'first', runId: 'r1' })
  const state = fold(resumed, spawn('T', { agentId: 'X', prompt: 'second', runId: 'r2' }))
  expect(state.subagents).toMatchObject([{ toolUseId: 'T', prompt: 'first', runId: 'r1' }])
})

it('an adopted agent keeps its final status', () => {
  const state = fold(complete('X', { output: 'done' }), spawn('T', { agentId: 'X' }))
  expect(state.subagents).toMatchObject([{ toolUseId: 'T', agentId: 'X', status: 'success', output: 'done' }])
  expect(state.blocks).toMatchObject([{ id: 'subagent:T', status: 'success', output: 'done' }])
})

it('an adopted agent stays running after a late announcement', () => {
  const state = fold(upsert(text('a'), 'X'), subagentBlock('T', { agentId: 'X' }))
  expect(state.subagents).toMatchObject([{ toolUseId: 'T', status: 'running' }])
})

it('a completion finalizes the pending blocks of the agent that it adopts', () => {
  const state = fold(upsert(text('a'), 'X'), complete('T', { agentId: 'X', status: 'error' }))
  expect(state.subagents).toMatchObject([{ toolUseId: 'T', status: 'error', blocks: [{ status: 'error' }] }])
})

it('an agent whose agentId equals its toolUseId is still a placeholder', () => {
  const state = fold(complete('X', { agentId: 'X', output: 'done' }), spawn('T', { agentId: 'X' }))
  expect(state.subagents).toMatchObject([{ toolUseId: 'T', agentId: 'X', output: 'done' }])
})

it('an agent that has another agentId is no placeholder', () => {
  const { after, issue } = lastStep(complete('X', { agentId: 'Y' }), spawn('T', { agentId: 'X' }))
  expect(after.subagents).toMatchObject([
    { toolUseId: 'X', agentId: 'Y' },
    { toolUseId: 'T', agentId: 'X' },
  ])
  expect(issue).toBeUndefined()
})

it('the agentId of a subagent may equal its toolUseId', () => {
  const { after, issue } = lastStep(upsert(text('a'), 'T'), spawn('T', { agentId: 'T' }))
  expect(after.subagents).toMatchObject([{ toolUseId: 'T', agentId: 'T', blocks: [{ id: 'a' }] }])
  expect(issue).toBeUndefined()
})

it('spawns adopt nested agents in any order', () => {
  const ofFirst = upsert(text('a'), 'agent-1')
  const ofSecond = upsert(text('b'), 'agent-2')
  const first = spawn('T1', { agentId: 'agent-1' })
  const second = spawn('T2', { agentId: 'agent-2', conversationId: 'agent-1' })
  for (const log of [
    [ofFirst, ofSecond, first, second],
    [ofSecond, ofFirst, second, first],
    [first, ofFirst, second, ofSecond],
  ]) {
    const state = fold(...log)
    expect(findSubagent(state, 'T1')).toMatchObject({ parentConversationId: 'main', agentId: 'agent-1' })
    expect(findSubagent(state, 'T2')).toMatchObject({ parentConversationId: 'T1', agentId: 'agent-2' })
    expect(blocksOf(state, 'T1')).toMatchObject([{ id: 'a' }, { id: 'subagent:T2', agentId: 'agent-2' }])
    expect(blocksOf(state, 'T2')).toMatchObject([{ id: 'b', conversationId: 'T2' }])
  }
})

// A program may name a call's block after another call. The spawn of that other call took its place, and the call was lost.
it.each([
  ['a spawn', spawn('A')],
  ['a spawn by a block', subagentBlock('A')],
  ['a spawn that was known by another id', spawn('A', { formerId: 'F' })],
])('keeps the call of another tool whose block has the id: %s', (_, event) => {
  const before = fold(upsert(toolUse('A', { toolUseId: 'B' })), spawn('F'))
  const after = reduceSessionEvent(before, event)
  expect(after.blocks[0]).toBe(before.blocks[0])
  expect(after.blocks.map(({ id }) => id)).toContain('subagent:A')
})
