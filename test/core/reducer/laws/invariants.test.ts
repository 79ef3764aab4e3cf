import assert from 'node:assert/strict'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  createInitialConversationState,
  isConversationEvent,
  reduceSessionEvent,
  reduceSessionEvents,
  type SessionConversationState,
  type SubagentState,
  stepSessionEvent,
} from '../../../../src/entries/index.ts'
import { runs } from '../../../depth.ts'
import { fromWire, statesOf } from '../example.ts'
import { junk, log } from './logs.ts'

const empty = createInitialConversationState()

/** Checks many states, so `holds` uses `node:assert`: a call of `expect` costs more than most checks. */
function always(promise: string, holds: (state: SessionConversationState) => void): void {
  it(promise, () => {
    fc.assert(
      fc.property(log, (events) => {
        for (const state of statesOf(events)) holds(state)
      }),
      { numRuns: runs(150) },
    )
  })
}

always('ids are unique: blocks and messages in a conversation, subagents in the session', (state) => {
  expectUnique(state.subagents.map(({ toolUseId }) => toolUseId))
  for (const { blocks, usage } of [state, ...state.subagents]) {
    expectUnique(blocks.map(({ id }) => id))
    expectUnique(usage.map(({ messageId }) => messageId))
  }
})

always('an agent id stands for one subagent', (state) => {
  expectUnique(state.subagents.flatMap(({ agentId }) => agentId ?? []))
})

always('no subagent is called main', (state) => {
  const ids = state.subagents.flatMap(({ toolUseId, agentId }) => [toolUseId, agentId])
  assert(!ids.includes('main'))
})

always('a block’s conversationId is that of the conversation that it is in', (state) => {
  for (const block of state.blocks) assert.equal(block.conversationId, 'main')
  for (const { toolUseId, blocks } of state.subagents)
    for (const block of blocks) assert.equal(block.conversationId, toolUseId)
})

always('a parent exists', ({ subagents }) => {
  const ids = ['main', ...subagents.map(({ toolUseId }) => toolUseId)]
  for (const { parentConversationId } of subagents)
    if (parentConversationId !== undefined) assert(ids.includes(parentConversationId))
})

always('nobody is their own ancestor', ({ subagents }) => {
  const parents = new Map(
    subagents.map(({ toolUseId, parentConversationId }) => [toolUseId, parentConversationId]),
  )
  for (const { toolUseId } of subagents) {
    let at = parents.get(toolUseId)
    for (let steps = 0; at !== undefined && steps <= subagents.length; steps += 1) {
      assert.notEqual(at, toolUseId)
      at = parents.get(at)
    }
  }
})

always(
  'a subagent’s block is in its parent’s conversation, once, with the facts of the subagent’s state',
  (state) => {
    for (const { blocks, id } of threadsOf(state))
      for (const block of blocks) {
        if (block.type !== 'subagent') continue
        const subagent = state.subagents.find(({ toolUseId }) => toolUseId === block.toolUseId)
        assert.equal(block.id, `subagent:${block.toolUseId}`)
        assert.equal(subagent?.parentConversationId, id)
        assert.deepEqual(shownBy(block), shownBy(subagent))
        assert.equal(block.input, subagent?.prompt ?? '')
        const isAnnounced = subagent?.status === 'pending' || subagent?.openBlocks?.includes(block.id)
        assert(block.inputText === undefined || isAnnounced)
      }
  },
)

always('a turn or an agent with open blocks is over, and so is each of them', (state) => {
  for (const { id, blocks, status, openBlocks = [] } of [
    { ...state, ...state.turn, id: 'main' },
    ...state.subagents.map((subagent) => ({ ...subagent, id: subagent.toolUseId })),
  ]) {
    if (openBlocks.length > 0) assert(!['idle', 'pending', 'running'].includes(status))
    for (const openId of openBlocks.filter((each) => each !== `subagent:${id}`)) {
      const block = blocks.find((each) => each.id === openId)
      assert(block && block.type !== 'subagent' && block.status !== 'pending')
    }
    expectUnique(openBlocks)
  }
})

always('what is not known is absent', (state) => {
  const threads = [state, ...state.subagents]
  for (const part of [
    state.session,
    ...threads,
    ...threads.flatMap(({ blocks, usage }) => [...blocks, ...usage]),
  ])
    assert(!Object.values(part).includes(undefined))
})

it('never throws, and a value that is no event changes nothing', () => {
  fc.assert(
    fc.property(log, fc.oneof(junk, fc.jsonValue()), (events, value) => {
      const state = reduceSessionEvents(empty, events)
      const event = fromWire(value)
      fc.pre(!isConversationEvent(event))
      const step = stepSessionEvent(state, event)
      expect(step.state).toBe(state)
      expect(step.issue?.code).toMatch(/^(?:unknown|malformed)-event$/)
      expect(reduceSessionEvent(state, event)).toBe(state)
      expect(reduceSessionEvents(state, [event, event])).toBe(state)
    }),
  )
})

it('changes no prototype, for any keys of an event', () => {
  const before = Object.getOwnPropertyNames(Object.prototype)
  fc.assert(
    fc.property(log, (events) => {
      for (const { blocks, usage } of [reduceSessionEvents(empty, events)])
        for (const part of [...blocks, ...usage]) expect(Object.getPrototypeOf(part)).toBe(Object.prototype)
    }),
  )
  expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before)
})

interface NamedThread extends Pick<SubagentState, 'blocks'> {
  readonly id: string
}

function threadsOf(state: SessionConversationState): readonly NamedThread[] {
  return [
    { ...state, id: 'main' },
    ...state.subagents.map((subagent) => ({ ...subagent, id: subagent.toolUseId })),
  ]
}

type Shown = Pick<SubagentState, 'agentId' | 'name' | 'description' | 'status' | 'output' | 'durationMs'>

function shownBy({ agentId, name, description, status, output, durationMs }: Shown): unknown {
  return { agentId, name, description, status, output, durationMs }
}

function expectUnique(ids: readonly string[]): void {
  assert.equal(new Set(ids).size, ids.length)
}
