import { describe, expect, it } from 'vitest'
import { identifyConversation, identifySession } from '../../../src/entries/identity.ts'
import {
  createInitialConversationState,
  reduceSessionEvents,
  type SessionEvent,
} from '../../../src/entries/index.ts'
import { type AgentEvent, createAgentRegistry, reduceAgentEvent } from '../../../src/entries/lineage.ts'

/** Events of a host as the origin documents have them: no message ids, no tokens, no program. */
const context = (conversationId: string) => ({ conversationId, timestamp: '2026-10-05T09:00:00.000Z' })
const upsert = (conversationId: string, block: Record<string, unknown>) =>
  ({ type: 'block:upsert', block, context: context(conversationId) }) as unknown as SessionEvent
const prompt = (id: string, content: string) => ({ id, type: 'user_message', status: 'complete', content })
const text = (id: string, content: string, status = 'complete') => ({
  id,
  type: 'assistant_text',
  status,
  content,
})
const call = (id: string) => ({
  id,
  type: 'tool_use',
  status: 'complete',
  toolName: 'Read',
  toolUseId: id,
  input: {},
})
const result = (id: string) => ({
  id: `${id}-r`,
  type: 'tool_result',
  status: 'complete',
  toolUseId: id,
  output: 'x',
  isError: false,
})
const spawn: SessionEvent = {
  type: 'subagent:spawned',
  toolUseId: 'T',
  prompt: 'Look.',
  subagentType: 'Explore',
  context: context('main'),
}
const agentTypeHash = 'a'.repeat(16)

const stateOf = (...events: readonly SessionEvent[]) =>
  reduceSessionEvents(createInitialConversationState(), events)
const identityOf = (events: readonly SessionEvent[], conversationId = 'main') =>
  identifyConversation(stateOf(...events), { agentTypeHash, conversationId })

/** The same conversation with message ids, whose identity was known before. */
const reference = (response: string, first = 'Hi') =>
  identityOf([upsert('main', prompt('u', first)), upsert('main', { ...text('t', response), messageId: 'm' })])
    ?.conversationHash

describe('a conversation of own events', () => {
  it('has the hash of its first text, for main and for each agent', () => {
    const state = stateOf(
      upsert('main', prompt('u', 'Hi')),
      upsert('main', text('t', 'Hello!')),
      spawn,
      upsert('T', text('a', 'Found.')),
      { type: 'subagent:completed', toolUseId: 'T', status: 'completed', context: context('main') },
      { type: 'session:idle', context: context('main') },
    )
    const identities = identifySession(state, { agentTypeHash })
    expect(identities.map(({ identity }) => identity?.conversationHash)).toEqual([
      reference('Hello!'),
      reference('Found.', 'Look.'),
    ])
    expect(identities.every(({ identity }) => identity?.isDistinct)).toBe(true)
  })

  it('has none while the first text still streams', () => {
    expect(
      identityOf([upsert('main', prompt('u', 'Hi')), upsert('main', text('t', 'Hel', 'pending'))]),
    ).toBeNull()
  })

  it.each(['main', 'T'])(
    'has the hash of the empty text once a later message follows calls alone: %s',
    (id) => {
      const start = id === 'main' ? [upsert(id, prompt('u', 'Hi'))] : [spawn]
      const calls = [...start, upsert(id, call('c')), upsert(id, result('c'))]
      expect(identityOf(calls, id)).toBeNull()
      const identity = identityOf([...calls, upsert(id, text('t', 'Done.'))], id)
      expect(identity).toMatchObject({ isDistinct: false })
      expect(identity?.conversationHash).toBe(reference('', id === 'main' ? 'Hi' : 'Look.'))
    },
  )

  // The block of an agent has no result's block behind it, so no block divides its call from the next message.
  it.each(['running', 'completed'])('begins another message behind the call of an agent: %s', (status) => {
    const main = [upsert('main', prompt('u', 'Hi')), spawn]
    const ended: SessionEvent = { type: 'subagent:completed', toolUseId: 'T', status: 'completed' }
    const events = status === 'running' ? main : [...main, ended]
    const identity = identityOf([...events, upsert('main', text('t', 'Done.'))])
    expect(identity).toMatchObject({ isDistinct: false })
    expect(identity?.conversationHash).toBe(reference(''))
  })

  it.each(['main', 'T'])('has it too once the turn has ended: %s', (id) => {
    const end: SessionEvent =
      id === 'main'
        ? { type: 'session:idle' }
        : { type: 'subagent:completed', toolUseId: 'T', status: 'completed' }
    const start = id === 'main' ? [upsert(id, prompt('u', 'Hi'))] : [spawn]
    expect(identityOf([...start, upsert(id, call('c')), end], id)).toMatchObject({ isDistinct: false })
  })

  it.each([
    ['a cut', { type: 'session:idle', cut: true }],
    ['an interruption', { type: 'session:idle', outcome: 'interrupted' }],
  ] as const)('has none after calls alone and %s', (_, end) => {
    expect(identityOf([upsert('main', prompt('u', 'Hi')), upsert('main', call('c')), end])).toBeNull()
  })

  // An agent's block has the call's result in itself, so no result block parts the call from the text after it.
  it.each(['running', 'complete'])(
    'has the hash of the empty text if its first response only calls agents: %s',
    (end) => {
      const ends: readonly SessionEvent[] =
        end === 'running' ? [] : [{ type: 'subagent:completed', toolUseId: 'T', status: 'completed' }]
      const calls = [upsert('main', prompt('u', 'Hi')), spawn, { ...spawn, toolUseId: 'T2' }, ...ends]
      expect(identityOf(calls)).toBeNull()
      const identity = identityOf([...calls, upsert('main', text('t', 'Done.'))])
      expect(identity).toMatchObject({ isDistinct: false, conversationHash: reference('') })
    },
  )

  it('needs no tokens where its blocks have message ids', () => {
    const events = [
      upsert('main', prompt('u', 'Hi')),
      upsert('main', { ...call('c'), messageId: 'm' }),
      upsert('main', result('c')),
    ]
    expect(identityOf(events)).toBeNull()
    expect(identityOf([...events, { type: 'session:idle' }])).toMatchObject({ isDistinct: false })
  })
})

describe('an agent of a registry', () => {
  const isDistinct = (...events: readonly AgentEvent[]) =>
    events.reduce(reduceAgentEvent, createAgentRegistry()).agents[0]?.isDistinct
  const started: AgentEvent = {
    type: 'agent:started',
    agentId: 'a',
    at: 0,
    agentTypeHash,
    firstUserMessageHash: 'b',
  }
  const completed = (responseText: string): AgentEvent => ({
    type: 'agent:completed',
    agentId: 'a',
    at: 1,
    responseText,
  })

  it('is distinct if its first response has a text, and no later one changes it', () => {
    expect(isDistinct(started)).toBeNull()
    expect(isDistinct(started, completed('Hi'))).toBe(true)
    expect(isDistinct(started, completed(' '))).toBe(false)
    expect(isDistinct(started, completed(' '), started, completed('Hi'))).toBe(false)
  })
})
