import { describe, expect, it } from 'vitest'
import type { ReducerIssueCode } from '../../../src/core/reducer/issue.ts'
import type { ReducerIssue, SessionEvent } from '../../../src/entries/index.ts'
import {
  complete,
  delta,
  fromWire,
  lastStep,
  resume,
  spawn,
  subagentBlock,
  text,
  toolUse,
  upsert,
} from './example.ts'

interface Example {
  readonly events: readonly SessionEvent[]
  readonly issue: Omit<ReducerIssue, 'code'>
}

const examples: Readonly<Record<ReducerIssueCode, Example>> = {
  'malformed-event': {
    events: [fromWire({ type: 'block:delta', blockId: 1, delta: 'x' })],
    issue: { eventType: 'block:delta', path: ['blockId'], expected: 'a string' },
  },
  'unknown-event': { events: [fromWire({ type: 'block:moved' })], issue: { eventType: 'block:moved' } },
  'reserved-id': {
    events: [spawn('main', { agentId: 'X' })],
    issue: { eventType: 'subagent:spawned', toolUseId: 'main', agentId: 'X' },
  },
  'stale-upsert': {
    events: [upsert(text('a', { status: 'complete' })), upsert(text('a'))],
    issue: { eventType: 'block:upsert', conversationId: 'main', blockId: 'a' },
  },
  'delta-before-block': {
    events: [delta('a', 'x', 'T')],
    issue: { eventType: 'block:delta', conversationId: 'T', blockId: 'a' },
  },
  'delta-without-text': {
    events: [upsert(toolUse('a')), delta('a', 'x')],
    issue: { eventType: 'block:delta', conversationId: 'main', blockId: 'a' },
  },
  'delta-too-long': {
    events: [upsert(text('a', { content: 'x' })), delta('a', 'x'.repeat(2 ** 28))],
    issue: { eventType: 'block:delta', conversationId: 'main', blockId: 'a' },
  },
  'delta-after-final': {
    events: [upsert(text('a', { status: 'error' })), delta('a', 'x')],
    issue: { eventType: 'block:delta', conversationId: 'main', blockId: 'a' },
  },
  'parent-conflict': {
    events: [spawn('T'), spawn('T', { conversationId: 'P' })],
    issue: { eventType: 'subagent:spawned', conversationId: 'P', toolUseId: 'T' },
  },
  cycle: {
    events: [spawn('T', { conversationId: 'T' })],
    issue: { eventType: 'subagent:spawned', conversationId: 'T', toolUseId: 'T' },
  },
  'stale-run': {
    events: [spawn('T', { runId: 'r2' }), complete('T', { runId: 'r1', agentId: 'X' })],
    issue: { eventType: 'subagent:completed', toolUseId: 'T', agentId: 'X' },
  },
  'already-running': {
    events: [spawn('T', { runId: 'r1' }), resume('T', { runId: 'r2' })],
    issue: { eventType: 'subagent:resumed', toolUseId: 'T' },
  },
  'other-block-id': {
    events: [subagentBlock('T', { id: 'own' })],
    issue: { eventType: 'block:upsert', conversationId: 'main', blockId: 'own', toolUseId: 'T' },
  },
  'agent-id-conflict': {
    events: [spawn('T', { agentId: 'X' }), spawn('T', { agentId: 'Y' })],
    issue: { eventType: 'subagent:spawned', toolUseId: 'T', agentId: 'Y' },
  },
}

describe.each(Object.entries(examples))('%s', (code, { events, issue }) => {
  it('names the event and its ids', () => {
    expect(lastStep(...events).issue).toEqual({ code, ...issue })
  })
})

it('the issue of a block names the block’s own conversation if the event has none', () => {
  const block = { ...text('subagent:T'), conversationId: 'T' }
  expect(lastStep({ type: 'block:upsert', block }).issue).toMatchObject({ conversationId: 'T' })
})
