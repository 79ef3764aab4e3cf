import { describe, expect, it } from 'vitest'
import { createInitialConversationState, reduceSessionEvent } from '../../../../src/entries/index.ts'
import { delta, fold, places, text, toolUse, upsert } from '../example.ts'

it('a session begins with an empty, frozen state', () => {
  const state = createInitialConversationState()
  expect(state).toEqual({ blocks: [], usage: [], turn: { status: 'idle' }, subagents: [], session: {} })
  expect(Object.isFrozen(state)).toBe(true)
})

describe.each(places)('a stream in $place', ({ conversationId, start }) => {
  const put = (fields: object) => upsert({ ...text('a'), ...fields }, conversationId)
  const stored = put({ status: 'complete', content: 'Hello, world' })
  const live = [put({}), delta('a', 'Hello, ', conversationId), delta('a', 'world', conversationId)]

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
