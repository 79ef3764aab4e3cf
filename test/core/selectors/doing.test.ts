import { describe, expect, it } from 'vitest'
import { doingIn } from '../../../src/core/selectors/status.ts'
import {
  createInitialConversationState,
  reduceSessionEvents,
  type SessionEvent,
} from '../../../src/entries/index.ts'

const TIME = '2026-01-01T00:00:00.000Z'

function text(id: string): SessionEvent {
  return {
    type: 'block:upsert',
    block: { type: 'assistant_text', id, status: 'complete', content: 'I look.', timestamp: TIME },
  }
}

function call(id: string, status: 'pending' | 'complete'): SessionEvent {
  return {
    type: 'block:upsert',
    block: {
      ...{ type: 'tool_use', id, toolUseId: id, toolName: 'Bash', input: {} },
      status,
      timestamp: TIME,
    },
  }
}

const AGENT: SessionEvent = {
  type: 'subagent:spawned',
  toolUseId: 'A',
  conversationId: 'main',
  prompt: 'Look.',
}
const AGENT_ENDS: SessionEvent = { type: 'subagent:completed', toolUseId: 'A', status: 'completed' }

function doing(...events: readonly SessionEvent[]): readonly (string | undefined)[] {
  const found = doingIn(reduceSessionEvents(createInitialConversationState(), events).blocks)
  return [found?.block.id, found?.since]
}

// The list and the page had two rules, and said two things of one session.
describe('what a conversation does', () => {
  it('is the last call or agent that runs, whatever comes after it', () => {
    expect(doing(call('c', 'pending'), text('t'))).toEqual(['c', TIME])
    expect(doing(AGENT, text('t'))[0]).toBe('subagent:A')
  })

  it('is the last text while nothing runs', () => {
    expect(doing(call('c', 'complete'), text('t'))).toEqual(['t', TIME])
  })

  it('is a call that is done without a time, because it does not go on', () => {
    expect(doing(text('t'), call('c', 'complete'))).toEqual(['c', undefined])
  })

  it('is never an agent that is done', () => {
    expect(doing(AGENT, AGENT_ENDS)).toEqual([undefined, undefined])
    expect(doing(text('t'), AGENT, AGENT_ENDS)).toEqual(['t', undefined])
  })
})
