import { describe, expect, it } from 'vitest'
import { findSubagent, type SessionEvent } from '../../src/index.ts'
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
  upsert,
  usage,
} from './example.ts'

// The agent's own log calls it X; nothing has said so far which call it is.
const onSight = [
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
])('an agent that was created on sight is adopted by a %s that names it', (_, link) => {
  const state = fold(...onSight, link)
  const adopted = findSubagent(state, 'T')

  it('and is found by both ids', () => {
    expect(adopted).toMatchObject({ toolUseId: 'T', agentId: 'X' })
    expect(findSubagent(state, 'X')).toBe(adopted)
  })

  it('in its place in the list', () => {
    expect(state.subagents.map(({ toolUseId }) => toolUseId)).toEqual(['other', 'T', 'C', 'last'])
  })

  it('with its blocks, whose conversationId is rewritten', () => {
    expect(adopted?.blocks).toMatchObject([
      { id: 'a', content: 'hi', conversationId: 'T' },
      { id: 'subagent:C', conversationId: 'T' },
    ])
  })

  it('with its usage', () => {
    expect(adopted?.usage).toEqual([{ messageId: 'm', outputTokens: 3, final: true }])
  })

  it('with its children, whose parent is rewritten', () => {
    expect(findSubagent(state, 'C')).toMatchObject({ parentConversationId: 'T' })
  })

  it('without an issue', () => {
    expect(lastStep(...onSight, link).issue).toBeUndefined()
  })

  it('and keeps the references of the agents beside it', () => {
    const { before, after } = lastStep(...onSight, link)
    for (const id of ['other', 'last']) expect(findSubagent(after, id)).toBe(findSubagent(before, id))
  })

  it('and takes what comes under either id', () => {
    const later = fold(...onSight, link, delta('a', '!', 'X'), upsert(text('b'), 'T'), upsert(text('c'), 'X'))
    expect(blocksOf(later, 'T').map(({ id }) => id)).toEqual(['a', 'subagent:C', 'b', 'c'])
    expect(blocksOf(later, 'T')[0]).toMatchObject({ content: 'hi!' })
  })

  it('and the same event again changes nothing', () => {
    const { before, after, issue } = lastStep(...onSight, link, link)
    expect(after).toBe(before)
    expect(issue).toBeUndefined()
  })
})

it('the spawn shows the adopted agent in its parent', () => {
  const state = fold(spawn('P'), ...onSight, spawn('T', { agentId: 'X', conversationId: 'P' }))
  expect(findSubagent(state, 'T')).toMatchObject({ parentConversationId: 'P', prompt: 'do' })
  expect(blocksOf(state, 'P')).toMatchObject([{ id: 'subagent:T', agentId: 'X', conversationId: 'P' }])
})

it('an adopted agent keeps what is known of it', () => {
  const told = resume('X', { prompt: 'first', runId: 'r1' })
  const state = fold(told, spawn('T', { agentId: 'X', prompt: 'second', runId: 'r2' }))
  expect(state.subagents).toMatchObject([{ toolUseId: 'T', prompt: 'first', runId: 'r1' }])
})

it('an adopted agent keeps its final status', () => {
  const state = fold(complete('X', { output: 'done' }), spawn('T', { agentId: 'X' }))
  expect(state.subagents).toMatchObject([{ toolUseId: 'T', agentId: 'X', status: 'success', output: 'done' }])
  expect(state.blocks).toMatchObject([{ id: 'subagent:T', status: 'success', output: 'done' }])
})

it('an adopted agent stays running when it is announced late', () => {
  const state = fold(upsert(text('a'), 'X'), subagentBlock('T', { agentId: 'X' }))
  expect(state.subagents).toMatchObject([{ toolUseId: 'T', status: 'running' }])
})

it('a completion finalises what is pending in the agent that it adopts', () => {
  const state = fold(upsert(text('a'), 'X'), complete('T', { agentId: 'X', status: 'error' }))
  expect(state.subagents).toMatchObject([{ toolUseId: 'T', status: 'error', blocks: [{ status: 'error' }] }])
})

it('an agent that has only ever named itself is still one that was created on sight', () => {
  const state = fold(complete('X', { agentId: 'X', output: 'done' }), spawn('T', { agentId: 'X' }))
  expect(state.subagents).toMatchObject([{ toolUseId: 'T', agentId: 'X', output: 'done' }])
})

it('an agent that has another agentId is not one that was created on sight', () => {
  const { after, issue } = lastStep(complete('X', { agentId: 'Y' }), spawn('T', { agentId: 'X' }))
  expect(after.subagents).toMatchObject([
    { toolUseId: 'X', agentId: 'Y' },
    { toolUseId: 'T', agentId: 'X' },
  ])
  expect(issue).toBeUndefined()
})

it('a subagent may be called by its call’s own id', () => {
  const { after, issue } = lastStep(upsert(text('a'), 'T'), spawn('T', { agentId: 'T' }))
  expect(after.subagents).toMatchObject([{ toolUseId: 'T', agentId: 'T', blocks: [{ id: 'a' }] }])
  expect(issue).toBeUndefined()
})

it('nested agents are adopted in any order', () => {
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
