import { describe, expect, it } from 'vitest'
import type { EventOf, SessionConversationState, SessionEvent } from '../../../../src/entries/index.ts'
import type { IncomingBlock } from '../../../../src/entries/source-kit.ts'
import type { AnyNotification } from '../../../../src/sinks/acp/conversation.ts'
import { toSessionUpdates } from '../../../../src/sinks/acp/to-session-updates.ts'
import { stateOf } from './states.ts'

const CHILDREN = { sessionId: 'main-session', clientCapabilities: { subagents: {} } }

const flat = (state: SessionConversationState) => toSessionUpdates(state, { sessionId: 'main-session' })
const children = (state: SessionConversationState): readonly AnyNotification[] =>
  toSessionUpdates(state, CHILDREN)

const spawn = (toolUseId: string, facts: Partial<EventOf<'subagent:spawned'>> = {}): SessionEvent => ({
  type: 'subagent:spawned',
  toolUseId,
  prompt: '',
  ...facts,
})
const upsert = (conversationId: string, block: IncomingBlock): SessionEvent => ({
  type: 'block:upsert',
  conversationId,
  block,
})
const call = (id: string, input: unknown = { command: 'ls' }): IncomingBlock => ({
  type: 'tool_use',
  id,
  toolUseId: id,
  toolName: 'Bash',
  input,
  status: 'complete',
})
const text = (id: string, content: string): IncomingBlock => ({
  type: 'assistant_text',
  id,
  status: 'complete',
  content,
})

/** An agent with a call, and a nested agent with another call. */
const nested = stateOf([
  upsert('main', text('before', 'I ask.')),
  spawn('outer', { agentId: 'a1', subagentType: 'explorer', description: 'Look around', prompt: 'Look.' }),
  upsert('outer', { type: 'user_message', id: 'outer:prompt', status: 'complete', content: 'Look.' }),
  upsert('outer', call('outer-call')),
  spawn('inner', { conversationId: 'outer', agentId: 'a2', prompt: 'Read.' }),
  upsert('inner', text('inner-text', 'Reading.')),
  upsert('inner', call('inner-call')),
  { type: 'todos:updated', conversationId: 'inner', todos: [{ text: 'Read', status: 'pending' }] },
  { type: 'subagent:completed', toolUseId: 'inner', status: 'error', output: 'No file.' },
  upsert('outer', text('outer-text', 'Found nothing.')),
  { type: 'subagent:completed', toolUseId: 'outer', status: 'completed', output: 'Nothing.' },
  upsert('main', text('after', 'Nothing there.')),
])

describe('agents in the main session', () => {
  it('are calls that their own calls follow, with the id of the call above', () => {
    const parent = (parentToolUseId: string) => ({ claudeCode: { parentToolUseId } })
    const sent = flat(nested)
    expect(new Set(sent.map(({ sessionId }) => sessionId))).toEqual(new Set(['main-session']))
    expect(sent.map(({ update }) => update)).toMatchObject([
      { sessionUpdate: 'agent_message_chunk', messageId: 'before' },
      {
        sessionUpdate: 'tool_call',
        toolCallId: 'outer',
        title: 'Look around',
        name: 'Agent',
        kind: 'think',
        status: 'in_progress',
        rawInput: { description: 'Look around', prompt: 'Look.', subagent_type: 'explorer' },
        content: [{ type: 'content', content: { type: 'text', text: 'Look.' } }],
        _meta: { claudeCode: { toolName: 'Agent' } },
      },
      { sessionUpdate: 'tool_call', toolCallId: 'outer-call', _meta: parent('outer') },
      { sessionUpdate: 'tool_call', toolCallId: 'inner', title: 'Agent', _meta: parent('outer') },
      { sessionUpdate: 'tool_call', toolCallId: 'inner-call', _meta: parent('inner') },
      {
        sessionUpdate: 'tool_call_update',
        toolCallId: 'inner',
        status: 'failed',
        rawOutput: 'No file.',
        _meta: parent('outer'),
      },
      {
        sessionUpdate: 'tool_call_update',
        toolCallId: 'outer',
        status: 'completed',
        rawOutput: 'Nothing.',
        content: [{ type: 'content', content: { type: 'text', text: 'Nothing.' } }],
      },
      { sessionUpdate: 'agent_message_chunk', messageId: 'after' },
    ])
  })

  it.each([
    ['pending', 'pending'],
    ['running', 'in_progress'],
  ] as const)('are %s without an end: %s', (status, expected) => {
    const block = { type: 'subagent', id: 'subagent:a', toolUseId: 'a', status, input: '' } as const
    expect(flat(stateOf([upsert('main', block)])).map(({ update }) => update)).toMatchObject([
      { sessionUpdate: 'tool_call', toolCallId: 'a', status: expected, rawInput: {} },
    ])
  })

  it('show no prompt as the output of an agent that ended without one', () => {
    const state = stateOf([
      spawn('a', { prompt: 'Look.' }),
      { type: 'subagent:completed', toolUseId: 'a', status: 'completed' },
    ])
    expect(flat(state).at(-1)?.update).toMatchObject({ sessionUpdate: 'tool_call_update', content: [] })
  })

  it('do not repeat the calls that a forked agent took over', () => {
    const state = stateOf([
      upsert('main', call('shared')),
      spawn('fork'),
      upsert('fork', call('shared')),
      upsert('fork', call('own')),
    ])
    const ids = flat(state).flatMap(({ update }) => ('toolCallId' in update ? [update.toolCallId] : []))
    expect(ids).toEqual(['shared', 'fork', 'own'])
  })

  it('get an id of their own for a call whose id another conversation has', () => {
    const state = stateOf([
      upsert('main', call('same')),
      spawn('a'),
      upsert('a', call('same', { command: 'pwd' })),
      upsert('a', {
        type: 'tool_result',
        id: 'same:result',
        toolUseId: 'same',
        output: '/srv',
        isError: false,
        status: 'complete',
      }),
    ])
    expect(flat(state).map(({ update }) => update)).toMatchObject([
      { toolCallId: 'same', rawInput: { command: 'ls' } },
      { toolCallId: 'a' },
      { toolCallId: 'a:same', rawInput: { command: 'pwd' }, rawOutput: '/srv' },
    ])
  })
})

describe('child sessions', () => {
  it('are announced, get their prompt, work, report and end', () => {
    const message = (id: string, senderSessionId: string, recipientSessionId: string, words: string) => ({
      sessionUpdate: 'session_message',
      messageId: id,
      senderSessionId,
      recipientSessionId,
      content: [{ type: 'text', text: words }],
    })
    const [before, ...sent] = children(nested)
    const after = sent.pop()
    const outerPrompt = message('outer', 'main-session', 'a1', 'Look.')
    const innerPrompt = message('inner', 'a1', 'a2', 'Read.')
    expect([before, after]).toMatchObject([
      { sessionId: 'main-session', update: { messageId: 'before' } },
      { sessionId: 'main-session', update: { messageId: 'after' } },
    ])
    expect(sent.map(({ sessionId, update }) => [sessionId, update])).toMatchObject([
      [
        'main-session',
        {
          sessionUpdate: 'subagent_update',
          sessionId: 'a1',
          title: 'Look around',
          description: 'explorer',
          state: { state: 'running' },
          _meta: { agentfold: { toolCallId: 'outer' } },
        },
      ],
      ['main-session', { ...outerPrompt, recipientMessageId: 'outer' }],
      ['a1', { ...outerPrompt, senderMessageId: 'outer' }],
      ['a1', { toolCallId: 'outer-call', _meta: { claudeCode: { parentToolUseId: 'outer' } } }],
      ['a1', { sessionUpdate: 'subagent_update', sessionId: 'a2', state: { state: 'running' } }],
      ['a1', { ...innerPrompt, recipientMessageId: 'inner' }],
      ['a2', { ...innerPrompt, senderMessageId: 'inner' }],
      ['a2', { messageId: 'inner-text', _meta: { claudeCode: { parentToolUseId: 'inner' } } }],
      ['a2', { toolCallId: 'inner-call' }],
      ['a2', { sessionUpdate: 'plan', _meta: { claudeCode: { parentToolUseId: 'inner' } } }],
      ['a1', message('inner:reply', 'a2', 'a1', 'No file.')],
      [
        'a1',
        {
          sessionId: 'a2',
          state: { state: 'idle', stopReason: 'error', error: { code: -32603, message: 'No file.' } },
        },
      ],
      ['a1', { messageId: 'outer-text' }],
      ['main-session', message('outer:reply', 'a1', 'main-session', 'Nothing.')],
      ['main-session', { sessionId: 'a1', state: { state: 'idle', stopReason: 'end_turn' } }],
    ])
  })

  it('have an id by the call of an agent whose own id is not known, or is taken', () => {
    const state = stateOf([spawn('a'), spawn('b', { agentId: 'main-session' })])
    expect(children(state).map(({ update }) => 'sessionId' in update && update.sessionId)).toEqual([
      'main-session:subagent:a',
      'main-session:subagent:b',
    ])
  })

  it('get later messages from their parent, and keep what the program wrote to itself', () => {
    const user = (id: string, content: string, origin?: 'summary' | 'meta'): IncomingBlock => ({
      type: 'user_message',
      id,
      status: 'complete',
      content,
      ...(origin && { origin }),
    })
    const state = stateOf([
      spawn('a', { prompt: 'Look.' }),
      upsert('a', user('u1', 'Look.')),
      upsert('a', user('u2', 'Look again.')),
      upsert('a', user('u3', '')),
      upsert('a', user('u4', 'So far: nothing.', 'summary')),
      upsert('a', user('u5', 'Reminder.', 'meta')),
    ])
    const own = children(state).filter(({ sessionId }) => sessionId !== 'main-session')
    expect(own.map(({ update }) => update)).toMatchObject([
      { sessionUpdate: 'session_message', messageId: 'a' },
      { sessionUpdate: 'session_message', messageId: 'u2', senderSessionId: 'main-session' },
      { sessionUpdate: 'user_message_chunk', messageId: 'u4' },
    ])
  })

  it('have no state before they start, and no words of an error if none are known', () => {
    const state = stateOf([
      upsert('main', { type: 'subagent', id: 'subagent:a', toolUseId: 'a', status: 'pending', input: '' }),
      spawn('b'),
      { type: 'subagent:completed', toolUseId: 'b', status: 'error' },
    ])
    expect(children(state).map(({ update }) => 'state' in update && update.state)).toEqual([
      false,
      { state: 'running' },
      { state: 'idle', stopReason: 'error' },
    ])
  })

  it('include agents of which only the block is known, and no agent twice', () => {
    const block = (toolUseId: string) =>
      ({
        type: 'subagent',
        id: `subagent:${toolUseId}`,
        toolUseId,
        conversationId: 'main',
        status: 'success',
        input: 'Look.',
      }) as const
    const state = stateOf([spawn('a'), spawn('fork')])
    const [first, fork] = state.subagents
    const withBlocks = {
      ...state,
      blocks: [...state.blocks, block('gone')],
      subagents: [
        ...(first ? [first] : []),
        ...(fork ? [{ ...fork, blocks: [{ ...block('a'), conversationId: 'fork' }] }] : []),
      ],
    }
    const announced = children(withBlocks).flatMap(({ update }) =>
      update.sessionUpdate === 'subagent_update' ? [update.sessionId] : [],
    )
    expect(new Set(announced)).toEqual(
      new Set(['main-session:subagent:a', 'main-session:subagent:fork', 'main-session:subagent:gone']),
    )
  })

  it('are sent for an object alone as the capability', () => {
    const types = (subagents: object | null | undefined) =>
      toSessionUpdates(nested, { sessionId: 's', clientCapabilities: { subagents, fs: {} } }).some(
        ({ sessionId }) => sessionId !== 's',
      )
    expect([{}, null, undefined].map(types)).toEqual([true, false, false])
  })

  it('may be nested to any depth', () => {
    const ids = Array.from({ length: 3000 }, (_, at) => `agent-${at}`)
    const state = stateOf(ids.map((id, at) => spawn(id, { conversationId: ids[at - 1] ?? 'main' })))
    expect(children(state)).toHaveLength(ids.length)
  })
})
