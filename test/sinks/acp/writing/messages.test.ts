import { describe, expect, it } from 'vitest'
import type { SessionConversationState, SessionEvent } from '../../../../src/entries/index.ts'
import type { IncomingBlock } from '../../../../src/entries/source-kit.ts'
import type { AnyUpdate, SessionUpdatesOptions } from '../../../../src/sinks/acp/conversation.ts'
import { toSessionUpdates } from '../../../../src/sinks/acp/to-session-updates.ts'
import { stateOf } from './states.ts'

function updates(state: SessionConversationState, options: SessionUpdatesOptions = {}): readonly AnyUpdate[] {
  return toSessionUpdates(state, { sessionId: 's', ...options }).map(({ update }) => update)
}

/** The updates of blocks of the main conversation. */
function updatesOf(...blocks: readonly IncomingBlock[]): readonly AnyUpdate[] {
  return updates(stateOf(blocks.map((block) => ({ type: 'block:upsert', block }))))
}

const text = (words: string) => ({ type: 'text', text: words })

describe('the messages of a conversation', () => {
  it('have the ids of the messages', () => {
    const sent = updatesOf(
      { type: 'user_message', id: 'u', status: 'complete', content: 'Hi.' },
      { type: 'thinking', id: 'm:0', messageId: 'm', status: 'complete', content: 'Hm.' },
      { type: 'assistant_text', id: 'm:1', messageId: 'm', status: 'complete', content: 'Hello.' },
      { type: 'assistant_text', id: 't', status: 'complete', content: 'Bye.' },
    )
    expect(sent).toEqual([
      { sessionUpdate: 'user_message_chunk', messageId: 'u', content: text('Hi.') },
      { sessionUpdate: 'agent_thought_chunk', messageId: 'm', content: text('Hm.') },
      { sessionUpdate: 'agent_message_chunk', messageId: 'm', content: text('Hello.') },
      { sessionUpdate: 'agent_message_chunk', messageId: 't', content: text('Bye.') },
    ])
  })

  it('have a chunk for each part of a prompt', () => {
    const bytes = { type: 'base64', mediaType: 'image/png', data: 'AAAA' } as const
    const sent = updatesOf({
      type: 'user_message',
      id: 'u',
      status: 'complete',
      content: [
        { type: 'text', text: 'See:' },
        { type: 'text', text: '' },
        { type: 'image', source: bytes },
        { type: 'image', source: { type: 'url', url: 'https://example.com/a.png', mediaType: 'image/png' } },
        { type: 'file', source: bytes, name: 'a.png' },
        { type: 'file', source: bytes },
        { type: 'file', source: { type: 'url', url: 'file:///b.txt' } },
        { type: 'file', source: { type: 'url', url: 'https://example.com/' }, name: 'page' },
        { type: 'file', source: { type: 'url', url: 'https://example.com/' } },
      ],
    })
    expect(sent.map((update) => 'content' in update && update.content)).toEqual([
      text('See:'),
      { type: 'image', mimeType: 'image/png', data: 'AAAA' },
      { type: 'resource_link', uri: 'https://example.com/a.png', name: 'a.png', mimeType: 'image/png' },
      { type: 'resource', resource: { uri: 'a.png', blob: 'AAAA', mimeType: 'image/png' } },
      { type: 'resource', resource: { uri: 'attachment', blob: 'AAAA', mimeType: 'image/png' } },
      { type: 'resource_link', uri: 'file:///b.txt', name: 'b.txt' },
      { type: 'resource_link', uri: 'https://example.com/', name: 'page' },
      { type: 'resource_link', uri: 'https://example.com/', name: 'https://example.com/' },
    ])
  })

  it('include the summary of a compaction, and no other message that the program wrote', () => {
    const sent = updatesOf(
      ...(['command', 'notification', 'summary', 'meta'] as const).map((origin) => ({
        type: 'user_message' as const,
        id: origin,
        status: 'complete' as const,
        content: origin,
        origin,
      })),
    )
    expect(sent).toEqual([
      { sessionUpdate: 'user_message_chunk', messageId: 'summary', content: text('summary') },
    ])
  })

  it('show an error as a text, and nothing of requests, system blocks, skills and hidden thinking', () => {
    const sent = updatesOf(
      { type: 'error', id: 'e', status: 'error', message: 'Overloaded.', code: '529' },
      { type: 'request', id: 'r', status: 'pending', kind: 'permission', title: 'Bash' },
      { type: 'system', id: 'y', status: 'complete', subtype: 'hook', message: 'ran' },
      { type: 'skill_load', id: 'k', status: 'complete', skillName: 'pdf', content: 'How to read.' },
      { type: 'thinking', id: 'h', status: 'complete', content: '', redacted: true },
    )
    expect(sent).toEqual([
      { sessionUpdate: 'agent_message_chunk', messageId: 'e', content: text('Overloaded.') },
    ])
  })

  it('leave out a branch that the person abandoned, with its agents', () => {
    const state = stateOf([
      {
        type: 'block:upsert',
        block: { type: 'user_message', id: 'u1', status: 'complete', content: 'One.' },
      },
      {
        type: 'block:upsert',
        block: { type: 'subagent', id: 'subagent:a', toolUseId: 'a', status: 'success', input: 'Look.' },
      },
    ])
    const branched: SessionConversationState = {
      ...state,
      blocks: [
        {
          type: 'system',
          id: 'rewind',
          status: 'complete',
          conversationId: 'main',
          subtype: 'rewind',
          message: '',
        },
      ],
      branches: [{ id: 'rewind', blocks: state.blocks }],
    }
    expect(updates(branched)).toEqual([])
  })
})

describe('the facts of a session', () => {
  const turn: readonly SessionEvent[] = [
    { type: 'session:updated', facts: { id: 'known', costUsd: 0.5 } },
    { type: 'session:running', timestamp: '2026-01-01T00:00:00.000Z' },
    { type: 'usage:reported', messageId: 'm', final: true, usage: { inputTokens: 10, outputTokens: 5 } },
    { type: 'session:idle', timestamp: '2026-01-01T00:00:01.000Z' },
  ]

  it('begin with the title and the last end', () => {
    expect(updates(stateOf(turn), { title: 'A session' })).toEqual([
      { sessionUpdate: 'session_info_update', title: 'A session', updatedAt: '2026-01-01T00:00:01.000Z' },
    ])
    expect(updates(stateOf([]), { title: 'A session' })).toEqual([
      { sessionUpdate: 'session_info_update', title: 'A session' },
    ])
    expect(updates(stateOf([]))).toEqual([])
  })

  it('end with the usage, if the size of the context is known', () => {
    expect(updates(stateOf(turn), { contextWindow: 200_000 }).at(-1)).toEqual({
      sessionUpdate: 'usage_update',
      used: 15,
      size: 200_000,
      cost: { amount: 0.5, currency: 'USD' },
    })
    expect(updates(stateOf(turn.slice(1)), { contextWindow: 1 }).at(-1)).toEqual({
      sessionUpdate: 'usage_update',
      used: 15,
      size: 1,
    })
    const facts = { contextTokens: 7, contextWindow: 1000 }
    expect(updates(stateOf([{ type: 'session:updated', facts }]))).toEqual([
      { sessionUpdate: 'usage_update', used: 7, size: 1000 },
    ])
    expect(updates(stateOf([]), { contextWindow: 200_000 })).toEqual([])
  })

  it.each([-1, 0.5])('has no usage if a session states %s tokens', (inputTokens) => {
    const state = stateOf([{ type: 'usage:reported', messageId: 'm', final: true, usage: { inputTokens } }])
    expect(updates(state, { contextWindow: 200_000 })).toEqual([])
  })

  it('refuses a size of the context that is no whole number from 1', () => {
    expect(() => updates(stateOf([]), { contextWindow: 0 })).toThrow(RangeError)
    expect(() => updates(stateOf([]), { contextWindow: Number.NaN })).toThrow(
      'contextWindow is a whole number from 1, not NaN',
    )
  })

  it('have the plan, whose cancelled entries are completed', () => {
    const state = stateOf([
      {
        type: 'todos:updated',
        todos: [
          { text: 'One', status: 'completed' },
          { text: 'Two', status: 'in_progress' },
          { text: 'Three', status: 'pending' },
          { text: 'Four', status: 'cancelled' },
        ],
      },
    ])
    expect(updates(state)).toEqual([
      {
        sessionUpdate: 'plan',
        entries: [
          { content: 'One', status: 'completed', priority: 'medium' },
          { content: 'Two', status: 'in_progress', priority: 'medium' },
          { content: 'Three', status: 'pending', priority: 'medium' },
          { content: 'Four', status: 'completed', priority: 'medium' },
        ],
      },
    ])
  })

  it('name the session by the option, or else by the program', () => {
    const state = stateOf([...turn])
    expect(toSessionUpdates(state, { sessionId: 'own' })[0]?.sessionId).toBe('own')
    expect(toSessionUpdates(state)[0]?.sessionId).toBe('known')
    expect(() => toSessionUpdates(stateOf([]))).toThrow(TypeError)
  })
})
