import { expect, it } from 'vitest'
import type { SessionEvent } from '../../../../src/entries/index.ts'
import { findSubagent } from '../../../../src/entries/index.ts'
import { further } from '../../../depth.ts'
import { complete, fold, lastStep, spawn, subagentBlock, text, upsert } from '../example.ts'

const nested = [
  spawn('A', { agentId: 'agent-a' }),
  spawn('B', { conversationId: 'A' }),
  spawn('C', { conversationId: 'B' }),
]

it.each<[string, readonly SessionEvent[]]>([
  ['itself', [spawn('T', { conversationId: 'T' })]],
  ['itself, when it is known', [spawn('T'), spawn('T', { conversationId: 'T' })]],
  ['itself, as a placeholder', [upsert(text('a'), 'T'), spawn('T', { conversationId: 'T' })]],
  ['itself by its agentId', [...nested, spawn('A', { conversationId: 'agent-a' })]],
  ['the agentId that the same event gives it', [spawn('T', { agentId: 'X', conversationId: 'X' })]],
  ['the agent that it is', [upsert(text('a'), 'X'), spawn('T', { agentId: 'X', conversationId: 'X' })]],
  ['its child', [...nested, spawn('A', { conversationId: 'B' })]],
  ['its child’s child', [...nested, spawn('A', { conversationId: 'C' })]],
  [
    'its child, while its own parent is unknown',
    [spawn('B', { conversationId: 'A' }), spawn('A', { conversationId: 'B' })],
  ],
  [
    'a child of its own agent',
    [spawn('B', { conversationId: 'X' }), spawn('T', { agentId: 'X', conversationId: 'B' })],
  ],
  // The id is its own, and another subagent has it as its agentId.
  [
    'its own id, which is another’s agentId',
    [spawn('A', { agentId: 'X' }), spawn('X', { conversationId: 'X' })],
  ],
  ['itself, as a block says', [subagentBlock('T', { status: 'running' }, 'T')]],
  ['its child, as a block says', [...nested, subagentBlock('A', { status: 'success', output: 'x' }, 'C')]],
])('a spawn under %s is ignored as a whole', (_, events) => {
  const { before, after, issue } = lastStep(...events)
  expect(after).toBe(before)
  expect(issue?.code).toBe('cycle')
})

it('a spawn under another agent is no cycle, even if its agentId is the id of a call', () => {
  const { after, issue } = lastStep(spawn('X'), spawn('T', { agentId: 'X', conversationId: 'X' }))
  expect(findSubagent(after, 'T')).toMatchObject({ parentConversationId: 'X', agentId: 'X' })
  expect(issue).toBeUndefined()
})

it('an agent that would become its own ancestor is not merged, and the rest of the event applies', () => {
  const { after, issue } = lastStep(
    spawn('C', { conversationId: 'X' }),
    spawn('T', { conversationId: 'C' }),
    complete('T', { agentId: 'X', output: 'done' }),
  )
  expect(issue?.code).toBe('cycle')
  expect(findSubagent(after, 'T')).toMatchObject({
    status: 'success',
    output: 'done',
    parentConversationId: 'C',
  })
  expect(findSubagent(after, 'T')).not.toHaveProperty('agentId')
  expect(findSubagent(after, 'X')).toMatchObject({ toolUseId: 'X', status: 'running' })
  expect(findSubagent(after, 'C')).toMatchObject({ parentConversationId: 'X' })
})

const LONG = Array.from({ length: 20_000 }, (_, at) => `t${at}`)
const chain = LONG.map((id, at) => spawn(id, { conversationId: LONG[at - 1] ?? 'main' }))

// A walk through all ancestors at each spawn would take minutes for such a long chain.
further.each([
  ['of conversations that are known already', [...LONG.map((id) => upsert(text('a'), id)), ...chain]],
  ['that comes twice', [...chain, ...chain]],
])('a chain of spawns %s can have any length', (_, events) => {
  const { subagents } = fold(...events)
  expect(subagents.map(({ toolUseId }) => toolUseId)).toEqual(LONG)
  expect(subagents.at(-1)?.parentConversationId).toBe(LONG.at(-2))
})

it('a spawn under its own parent is ignored if it names one of its ancestors as its agent', () => {
  const { before, after, issue } = lastStep(
    spawn('C', { conversationId: 'X' }),
    spawn('T', { conversationId: 'C' }),
    spawn('T', { conversationId: 'C', agentId: 'X' }),
  )
  expect(after).toBe(before)
  expect(issue?.code).toBe('cycle')
})

it('a chain of spawns from the bottom up is no cycle', () => {
  const state = fold(spawn('C', { conversationId: 'B' }), spawn('B', { conversationId: 'A' }), spawn('A'))
  expect(
    state.subagents.map(({ toolUseId, parentConversationId }) => [toolUseId, parentConversationId]),
  ).toEqual(
    expect.arrayContaining([
      ['A', 'main'],
      ['B', 'A'],
      ['C', 'B'],
    ]),
  )
})
