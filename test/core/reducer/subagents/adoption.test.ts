import { describe, expect, it } from 'vitest'
import { findSubagent, reduceSessionEvent, type SessionEvent } from '../../../../src/entries/index.ts'
import { complete, fold, lastStep, spawn, subagentBlock, text, toolUse, upsert, usage } from '../example.ts'

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

  it('with its children, which get the new parent', () => {
    expect(findSubagent(state, 'C')).toMatchObject({ parentConversationId: 'T' })
  })

  it('and the same event again changes nothing', () => {
    const { before, after, issue } = lastStep(...placeholder, link, link)
    expect(after).toBe(before)
    expect(issue).toBeUndefined()
  })
})

it('an agent that has another agentId is no placeholder', () => {
  const { after, issue } = lastStep(complete('X', { agentId: 'Y' }), spawn('T', { agentId: 'X' }))
  expect(after.subagents).toMatchObject([
    { toolUseId: 'X', agentId: 'Y' },
    { toolUseId: 'T', agentId: 'X' },
  ])
  expect(issue).toBeUndefined()
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
