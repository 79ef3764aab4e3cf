import { expect, it } from 'vitest'
import type { SessionConversationState, SessionEvent } from '../../src/index.ts'
import { fold, remove, spawn, statesOf, subagentBlock, text, upsert, usage } from './example.ts'

/** What a batch gives, which is what the events give one by one. */
function together(...events: readonly SessionEvent[]): SessionConversationState {
  const state = fold(...events)
  expect(state).toEqual(statesOf(events).at(-1))
  return state
}

// A batch knows who has which agentId, and who is whose child. What it knows must not outlive whom it is about.

it('an agentId stands for nobody once the announced subagent that had it was taken back', () => {
  const state = together(
    subagentBlock('T', { agentId: 'X' }),
    remove('subagent:T'),
    spawn('T'),
    usage('m', 1, { conversationId: 'X' }),
  )
  expect(state.subagents).toMatchObject([
    { toolUseId: 'T', usage: [] },
    { toolUseId: 'X', usage: [{ messageId: 'm' }] },
  ])
})

it('a subagent that was adopted with its children leaves none to a later call of its id', () => {
  const state = together(
    upsert(text('a'), 'X'),
    spawn('C', { conversationId: 'X' }),
    spawn('T', { agentId: 'X' }),
    subagentBlock('X'),
    remove('subagent:X'),
  )
  expect(state.subagents).toMatchObject([
    { toolUseId: 'T', agentId: 'X' },
    { toolUseId: 'C', parentConversationId: 'T' },
  ])
})

it('an announced subagent is nobody’s parent any more once its announced child was taken back', () => {
  const state = together(
    subagentBlock('P'),
    subagentBlock('C', {}, 'P'),
    remove('subagent:C', 'P'),
    remove('subagent:P'),
  )
  expect(state.subagents).toEqual([])
})
