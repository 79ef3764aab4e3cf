import { describe, expect, it } from 'vitest'
import type { SessionConversationState } from '../../../src/entries/index.ts'
import { fold } from './fold.ts'

const start = { type: 'RUN_STARTED', threadId: 't', runId: 'r1' }
const agent = (type: string, fields: object = {}) => ({ type, subagentRunId: 'run-a', ...fields })
const started = agent('SUBAGENT_STARTED', { parentToolCallId: 'c', name: 'helper' })
const called = ['TOOL_CALL_START', 'TOOL_CALL_ARGS', 'TOOL_CALL_END'].map((type) => ({
  type,
  toolCallId: 'c',
  toolCallName: 'agent',
  delta: '{"prompt":"Look."}',
}))
const snapshot = (...messages: readonly object[]) => ({ type: 'MESSAGES_SNAPSHOT', messages })
const prompt = { id: 'u', role: 'user', content: 'Hi.' }

const statusOf = ({ subagents, blocks }: SessionConversationState) => [
  ...subagents.map(({ status }) => status),
  ...blocks.flatMap((block) => (block.type === 'subagent' ? [block.status] : [])),
]

describe('an agent', () => {
  it('leaves with the snapshot that omits its call while the call streams, and stays if it runs', () => {
    expect(statusOf(fold([start, ...called.slice(0, 1), snapshot(prompt)]))).toEqual([])
    expect(statusOf(fold([start, ...called, started, snapshot(prompt)]))[0]).toBe('running')
  })

  // The agents of a conversation were looked up before the snapshot gave one of them to another conversation.
  it('that a snapshot gives to main leaves the blocks of its earlier parent in their order', () => {
    const activity = { role: 'activity', activityType: 'subagent' }
    const content = { status: 'running', toolUseId: 'x', input: 'Go.' }
    const ofB = { role: 'assistant', content: 'Hi.', subagentRunId: 'b' }
    const { subagents } = fold([
      { type: 'SUBAGENT_STARTED', subagentRunId: 'x', parentSubagentRunId: 'b' },
      { type: 'TEXT_MESSAGE_START', messageId: 'm', subagentRunId: 'b' },
      snapshot({ id: 'subagent:x', ...activity, content }, { id: 'n', ...ofB }, { id: 'm', ...ofB }),
    ])
    const b = subagents.find(({ toolUseId }) => toolUseId === 'b')
    expect(b?.blocks.map(({ id }) => id)).toEqual(['subagent:x', 'n', 'm'])
  })
})
