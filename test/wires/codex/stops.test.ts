import { describe, expect, it } from 'vitest'
import { sessionStatus } from '../../../src/entries/index.ts'
import { ofType } from '../recordings.ts'
import { beginTurn, endTurn, event, head, item, note, readLines, started, turnOf } from './made-lines.ts'

describe('a turn that is interrupted', () => {
  const spawning = item(
    { type: 'collabAgentToolCall', id: 'call', tool: 'spawnAgent', prompt: 'Go.', status: 'inProgress' },
    'item/started',
  )

  it('ends the agent that it was about to start', () => {
    const { state } = readLines(...beginTurn, spawning, endTurn('interrupted'))
    expect(state.subagents).toMatchObject([{ toolUseId: 'call', status: 'error' }])
    expect(sessionStatus(state)).toBe('interrupted')
  })

  it('does not end an agent that has started', () => {
    const link = item({
      type: 'collabAgentToolCall',
      id: 'call',
      tool: 'spawnAgent',
      receiverThreadIds: ['x'],
      status: 'completed',
    })
    const { state, events } = readLines(...beginTurn, spawning, link, endTurn('interrupted'))
    // Only the end of the input ends it.
    expect(events.filter(({ type }) => type === 'subagent:completed')).toMatchObject([{ cut: true }])
    expect(state.subagents).toMatchObject([{ toolUseId: 'call', agentId: 'x' }])
  })
})

it('a program that was killed leaves no pending block of its agents', () => {
  const command = { type: 'commandExecution', id: 'c', command: 'ls', status: 'inProgress' }
  const { state } = readLines(
    ...beginTurn,
    item({ type: 'subAgentActivity', id: 'call', kind: 'started', agentThreadId: 'x' }),
    turnOf('x', 'u', 'turn'),
    note('item/started', { threadId: 'x', turnId: 'u', item: command }),
    turnOf('t', 'next', 'next'),
    endTurn('completed', 'next'),
  )
  expect(state.subagents[0]?.blocks).toMatchObject([{ type: 'tool_use', status: 'complete' }])
})

it('an agent that its parent interrupts has failed', () => {
  const activity = (id: string, kind: string) =>
    item({ type: 'subAgentActivity', id, kind, agentThreadId: 'x', agentPath: '/root/helper' })
  const { state } = readLines(
    ...beginTurn,
    activity('call', 'started'),
    activity('more', 'interacted'),
    activity('stop', 'interrupted'),
    activity('late', 'completed'),
    endTurn(),
  )
  expect(state.subagents).toMatchObject([{ toolUseId: 'call', status: 'error', description: 'helper' }])
})

it('the agents of another session are not those of this one', () => {
  const text = (threadId: string) =>
    note('item/completed', { threadId, turnId: 'v', item: { type: 'agentMessage', id: 'm', text: 'x' } })
  const { state, issues } = readLines(
    ...beginTurn,
    { method: 'thread/started', params: { thread: { id: 'other' } } },
    turnOf('other', 'o', 'o'),
    turnOf('agent', 'v', 'o'),
    text('agent'),
    endTurn(),
  )
  expect(state.subagents).toEqual([])
  expect(issues.map(({ code, messageType, count }) => [code, messageType, count])).toEqual([
    ['other-session', 'turn-started', 2],
    ['other-session', 'item', 1],
  ])
})

it('a full context window is no reply', () => {
  const usage = (last: number, total: number) =>
    note('thread/tokenUsage/updated', {
      tokenUsage: {
        last: { totalTokens: 0, inputTokens: last, outputTokens: 0, cachedInputTokens: 0 },
        total: { totalTokens: total },
      },
    })
  const { state } = readLines(...beginTurn, usage(10, 10), usage(0, 1_000), usage(7, 1_007), endTurn())
  expect(state.usage.map(({ inputTokens }) => inputTokens)).toEqual([10, 7])
})

it('two warnings of one moment are two notes, and a repeated one is one', () => {
  const warning = (message: string) => event({ type: 'warning', message })
  const { state } = readLines(head, started, warning('a'), warning('b'), warning('a'))
  expect(ofType(state, 'system').map(({ message }) => message)).toEqual(['a', 'b'])
})
