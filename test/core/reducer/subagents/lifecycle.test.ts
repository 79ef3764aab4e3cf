import { describe, expect, it } from 'vitest'
import {
  createInitialConversationState,
  findSubagent,
  reduceSessionEvent,
  type SessionEvent,
} from '../../../../src/entries/index.ts'
import {
  blocksOf,
  complete,
  delta,
  fold,
  idle,
  places,
  resume,
  running,
  spawn,
  subagentBlock,
  text,
  toolUse,
  upsert,
} from '../example.ts'

it('a session begins with an empty, frozen state', () => {
  const state = createInitialConversationState()
  expect(state).toEqual({ blocks: [], usage: [], turn: { status: 'idle' }, subagents: [], session: {} })
  expect(Object.isFrozen(state)).toBe(true)
})

describe.each(places)('a stream in $place', ({ conversationId, start }) => {
  const put = (fields: object) => upsert({ ...text('a'), ...fields }, conversationId)
  const stored = put({ status: 'complete', content: 'Hello, world' })
  const live = [put({}), delta('a', 'Hello, ', conversationId), delta('a', 'world', conversationId)]

  it('equals its transcript after the last upsert', () => {
    expect(fold(running, ...start, ...live, stored)).toEqual(fold(running, ...start, stored))
  })

  it('equals its transcript after an idle alone', () => {
    expect(fold(running, ...start, ...live, idle(conversationId), idle())).toEqual(
      fold(running, ...start, stored, idle()),
    )
  })

  it('doubles no text when a reconnect sends it again', () => {
    const once = fold(...start, ...live, stored)
    expect([put({}), stored].reduce(reduceSessionEvent, once)).toBe(once)
  })
})

it('a tool call waits for its result', () => {
  const result = {
    id: 'u:result',
    type: 'tool_result',
    status: 'complete',
    toolUseId: 'u',
    output: 'x',
    isError: true,
  } as const
  const pending = fold(upsert(toolUse('u')))
  const ended = fold(upsert(toolUse('u')), upsert(result), upsert(toolUse('u', { status: 'error' })))
  expect(pending.blocks).toMatchObject([{ id: 'u', status: 'pending' }])
  expect(ended.blocks).toMatchObject([
    { id: 'u', status: 'error' },
    { id: 'u:result', isError: true },
  ])
})

it('a subagent goes from its announcement to its second run', () => {
  const log: SessionEvent[] = [
    subagentBlock('T', { messageId: 'm' }),
    spawn('T', { prompt: 'go', agentId: 'X', runId: 'r1' }),
    upsert(text('a'), 'X'),
    complete('T', { runId: 'r1', output: 'one' }),
    resume('X', { runId: 'r2' }),
    complete('X', { runId: 'r2', status: 'error' }),
  ]
  const statuses = log.map((_, at) => fold(...log.slice(0, at + 1)).subagents[0]?.status)
  expect(statuses).toEqual(['pending', 'running', 'running', 'success', 'running', 'error'])
  expect(fold(...log).blocks).toMatchObject([
    { id: 'subagent:T', messageId: 'm', input: 'go', status: 'error', output: 'one' },
  ])
})

it('a background agent outlives the turn and the parent that started it', () => {
  const state = fold(
    spawn('P'),
    spawn('T', { conversationId: 'P' }),
    upsert(text('a'), 'T'),
    idle('P'),
    complete('P'),
    idle(),
    delta('a', 'still here', 'T'),
  )
  expect(findSubagent(state, 'T')).toMatchObject({ status: 'running', blocks: [{ content: 'still here' }] })
  expect(blocksOf(state, 'P')).toMatchObject([{ id: 'subagent:T', status: 'running' }])
  expect(state.blocks).toMatchObject([{ id: 'subagent:P', status: 'success' }])
})

it('parallel subagents do not affect each other', () => {
  const log = (id: string) => [
    spawn(id),
    upsert(text('a'), id),
    delta('a', id, id),
    complete(id, { output: id }),
  ]
  const [first, second] = [log('A'), log('B')]
  const zipped = first.flatMap((event, at) => [event, ...second.slice(at, at + 1)])
  expect(fold(...zipped)).toEqual(fold(...first, ...second))
})
