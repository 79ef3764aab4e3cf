import { describe, expect, it } from 'vitest'
import {
  createInitialConversationState,
  findBlock,
  findConversation,
  findSubagent,
  reduceSessionEvents,
  type SessionEvent,
} from '../../../src/entries/index.ts'

const text = (id: string, conversationId: string): SessionEvent => ({
  type: 'block:upsert',
  conversationId,
  block: { id, type: 'assistant_text', status: 'complete', content: `${id} of ${conversationId}` },
})
const spawn = (toolUseId: string, agentId?: string): SessionEvent =>
  agentId === undefined
    ? { type: 'subagent:spawned', toolUseId, prompt: '' }
    : { type: 'subagent:spawned', toolUseId, agentId, prompt: '' }

// `X` is the agentId of `T` and also the id of a call.
const state = reduceSessionEvents(createInitialConversationState(), [
  spawn('T', 'X'),
  text('a', 'T'),
  spawn('U', 'Y'),
  text('a', 'U'),
  text('a', 'main'),
  spawn('X'),
  spawn('__proto__', 'constructor'),
])
const [T, U, X, proto] = state.subagents

describe('findSubagent', () => {
  it('finds by toolUseId', () => {
    expect(findSubagent(state, 'T')).toBe(T)
    expect(findSubagent(state, 'U')).toBe(U)
  })

  it('finds by agentId if no call has that id', () => {
    expect(findSubagent(state, 'Y')).toBe(U)
  })

  it('prefers the call to the agent with the same id', () => {
    expect(findSubagent(state, 'X')).toBe(X)
  })

  it('accepts ids that are keys of every object', () => {
    expect(findSubagent(state, '__proto__')).toBe(proto)
    expect(findSubagent(state, 'constructor')).toBe(proto)
    expect(findSubagent(state, 'toString')).toBeUndefined()
  })

  it.each(['unknown', '', 'main'])('finds no subagent for %j', (ref) => {
    expect(findSubagent(state, ref)).toBeUndefined()
  })
})

describe('findConversation', () => {
  it('finds main', () => {
    expect(findConversation(state, 'main')).toBe(state)
  })

  it('finds a subagent’s by either id', () => {
    expect(findConversation(state, 'U')).toBe(U)
    expect(findConversation(state, 'Y')).toBe(U)
    expect(findConversation(state, 'X')).toBe(X)
  })

  it('finds no conversation for an unknown id', () => {
    expect(findConversation(state, 'unknown')).toBeUndefined()
  })
})

describe('findBlock', () => {
  it.each([
    ['main', 'a of main'],
    ['T', 'a of T'],
    ['U', 'a of U'],
    ['Y', 'a of U'],
  ])('finds the block with that id in %s and in no other conversation', (conversationId, content) => {
    expect(findBlock(state, conversationId, 'a')).toMatchObject({ content })
  })

  it('finds a subagent’s block in its parent', () => {
    expect(findBlock(state, 'main', 'subagent:T')).toBe(state.blocks[0])
    expect(findBlock(state, 'T', 'subagent:T')).toBeUndefined()
  })

  it.each([
    ['main', 'unknown'],
    ['unknown', 'a'],
    ['X', 'a'],
  ])('finds nothing in %s for %s', (conversationId, blockId) => {
    expect(findBlock(state, conversationId, blockId)).toBeUndefined()
  })
})
