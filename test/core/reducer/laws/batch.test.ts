import { expect, it } from 'vitest'
import type { SessionConversationState, SessionEvent } from '../../../../src/entries/index.ts'
import {
  complete,
  fold,
  idle,
  remove,
  spawn,
  statesOf,
  subagentBlock,
  text,
  upsert,
  usage,
} from '../example.ts'

/** Returns the state after a batch, and expects the same state from the events one by one. */
function together(...events: readonly SessionEvent[]): SessionConversationState {
  const state = fold(...events)
  expect(state).toEqual(statesOf(events).at(-1))
  return state
}

// A batch keeps look-ups of agent ids and of children. Entries of a removed subagent must go with it.

it('an agentId finds no subagent after the removal of the announced subagent that had it', () => {
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

it('an adopted subagent leaves no children to a later call with its id', () => {
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

it('an announced subagent is no parent after the removal of its announced child', () => {
  const state = together(
    subagentBlock('P'),
    subagentBlock('C', {}, 'P'),
    remove('subagent:C', 'P'),
    remove('subagent:P'),
  )
  expect(state.subagents).toEqual([])
})

it('an agentId finds the call that its placeholder has become', () => {
  const state = together(
    complete('X', { agentId: 'X' }),
    spawn('T', { agentId: 'X' }),
    usage('m', 1, { conversationId: 'X' }),
  )
  expect(state.subagents).toMatchObject([{ toolUseId: 'T', usage: [{ messageId: 'm' }] }])
})

it('an idle finalizes the blocks that follow a removed one', () => {
  const state = together(upsert(text('a')), upsert(text('b')), idle(), remove('a'), upsert(text('c')), idle())
  expect(state.blocks).toMatchObject([
    { id: 'b', status: 'complete' },
    { id: 'c', status: 'complete' },
  ])
})
