import { expect, it } from 'vitest'
import type { RequestBlock } from '../../../src/core/state/block.ts'
import type { TurnStatus } from '../../../src/core/state/turn.ts'
import { pendingRequests, sessionStatus } from '../../../src/entries/index.ts'
import { agent, stateOf } from './agents.ts'

function request(id: string, fields: Partial<RequestBlock> = {}): RequestBlock {
  const block = { type: 'request', id, conversationId: 'main', kind: 'permission', title: 'Bash' } as const
  return { ...block, status: 'pending', ...fields }
}

const answered = request('old', { status: 'complete', answer: 'allow' })

it('are the open ones of all conversations', () => {
  const inAgent = { blocks: [request('b', { conversationId: 'A' }), answered] }
  const state = stateOf([agent('A', 'main', inAgent), agent('B')], { blocks: [answered, request('a')] })
  const found = pendingRequests(state).map(({ conversationId, block }) => [conversationId, block.id])
  expect(found).toEqual([
    ['main', 'a'],
    ['A', 'b'],
  ])
  expect(pendingRequests(stateOf([]))).toEqual([])
})

it.each<[TurnStatus, string, string]>([
  ['running', 'running', 'waiting'],
  ['running', 'success', 'waiting'],
  ['finished', 'running', 'waiting'],
  ['finished', 'success', 'finished'],
  ['interrupted', 'running', 'interrupted'],
])('make a session of a %s turn with a %s agent %s', (status, agentStatus, expected) => {
  const ofAgent = { status: agentStatus === 'running' ? 'running' : 'success' } as const
  const inMain = stateOf([agent('A', 'main', ofAgent)], { turn: { status }, blocks: [request('a')] })
  const inAgent = stateOf([agent('A', 'main', { ...ofAgent, blocks: [request('a')] })], { turn: { status } })
  expect([sessionStatus(inMain), sessionStatus(inAgent)]).toEqual([expected, expected])
})

it('leave the status of a session alone, once they are answered', () => {
  expect(sessionStatus(stateOf([], { turn: { status: 'running' }, blocks: [answered] }))).toBe('running')
})
