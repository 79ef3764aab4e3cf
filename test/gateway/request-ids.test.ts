import { describe, expect, it } from 'vitest'
import {
  buildAgentTree,
  createAgentRegistry,
  reduceAgentEvent,
  requestEvent,
  requestIds,
} from '../../src/entries/lineage.ts'

describe('the ids in the headers of a request', () => {
  it.each([
    ['main of Claude Code', { 'x-claude-code-session-id': 's' }, { sessionId: 's', agentId: 's' }],
    [
      'an agent of Claude Code',
      { 'X-Claude-Code-Session-Id': 's', 'x-claude-code-agent-id': 'a' },
      { sessionId: 's', agentId: 'a', parentAgentId: 's' },
    ],
    [
      'a nested agent of Claude Code',
      {
        'x-claude-code-session-id': 's',
        'x-claude-code-agent-id': 'b',
        'x-claude-code-parent-agent-id': 'a',
      },
      { sessionId: 's', agentId: 'b', parentAgentId: 'a' },
    ],
    ['main of Codex', { 'session-id': 's', 'thread-id': 't' }, { sessionId: 's', agentId: 't' }],
    [
      'an agent of Codex',
      { 'session-id': 's', 'thread-id': 'u', 'x-codex-parent-thread-id': 't' },
      { sessionId: 's', agentId: 'u', parentAgentId: 't' },
    ],
    [
      'an agent of OpenCode',
      { 'x-session-id': 'c', 'x-parent-session-id': 'p' },
      { sessionId: 'p', agentId: 'c', parentAgentId: 'p' },
    ],
    ['another client', { 'user-agent': 'curl' }, undefined],
  ])('of %s', (_, headers, ids) => {
    expect(requestIds(headers)).toEqual(ids)
    expect(requestIds(new Headers(headers))).toEqual(ids)
  })

  it('keep a main that was compacted one agent, and link a child without a claim', () => {
    const main = { 'x-claude-code-session-id': 's' }
    const child = { 'x-claude-code-session-id': 's', 'x-claude-code-agent-id': 'a' }
    const request = (content: string) => ({ messages: [{ role: 'user', content }] })
    const events = [
      requestEvent('agent-1', request('Hello'), { at: 1, headers: main }),
      requestEvent('agent-2', request('Look'), { at: 2, headers: child }),
      requestEvent('agent-3', request('This session continues: a summary'), { at: 3, headers: main }),
    ]
    expect(events.map(({ requestId }) => requestId)).toEqual(['agent-1', 'agent-2', 'agent-3'])
    const [tree, ...others] = buildAgentTree(events.reduce(reduceAgentEvent, createAgentRegistry()))
    expect(others).toEqual([])
    expect([tree?.conversationId, tree?.children.map(({ conversationId }) => conversationId)]).toEqual([
      's',
      ['a'],
    ])
  })
})
