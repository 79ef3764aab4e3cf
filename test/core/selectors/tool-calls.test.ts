import { expect, it } from 'vitest'
import {
  type BlockOf,
  type ConversationBlock,
  type ConversationThread,
  createInitialConversationState,
  findConversation,
  reduceSessionEvents,
  toolCalls,
} from '../../../src/entries/index.ts'

const base = { conversationId: 'main', status: 'complete' } as const

function call(toolUseId: string, id = toolUseId): BlockOf<'tool_use'> {
  return { ...base, id, type: 'tool_use', toolName: 'Read', toolUseId, input: {} }
}

function result(toolUseId: string, output = 'x'): BlockOf<'tool_result'> {
  return { ...base, id: `${toolUseId}:${output}`, type: 'tool_result', toolUseId, output, isError: false }
}

const thread = (...blocks: readonly ConversationBlock[]): ConversationThread => ({ blocks, usage: [] })

it('pairs each call with its result, in the order of the calls', () => {
  const [first, second] = [call('u1'), call('u2')]
  const [ofFirst, ofSecond] = [result('u1'), result('u2')]
  expect(toolCalls(thread(first, second, ofSecond, ofFirst))).toEqual([
    { call: first, result: ofFirst },
    { call: second, result: ofSecond },
  ])
})

it('returns the same block references', () => {
  const [first, ofFirst] = [call('u1'), result('u1')]
  const [pair] = toolCalls(thread(first, ofFirst))
  expect(pair?.call).toBe(first)
  expect(pair?.result).toBe(ofFirst)
})

it('has no key for a missing result', () => {
  expect(toolCalls(thread(call('u1')))).toStrictEqual([{ call: call('u1') }])
})

it('finds a result that comes before its call', () => {
  expect(toolCalls(thread(result('u1'), call('u1')))).toMatchObject([{ result: { toolUseId: 'u1' } }])
})

it.each(['__proto__', 'constructor', ''])('pairs by the id %j', (id) => {
  expect(toolCalls(thread(call(id, 'a')))).toStrictEqual([{ call: call(id, 'a') }])
  expect(toolCalls(thread(call(id, 'a'), result(id)))).toStrictEqual([
    { call: call(id, 'a'), result: result(id) },
  ])
})

it('excludes results without a call, and other blocks', () => {
  const text = { ...base, id: 't', type: 'assistant_text', content: 'x' } as const
  expect(toolCalls(thread(text, result('u1')))).toEqual([])
  expect(toolCalls(thread())).toEqual([])
})

it('excludes subagents', () => {
  const state = reduceSessionEvents(createInitialConversationState(), [
    { type: 'subagent:spawned', toolUseId: 'T', prompt: '' },
    { type: 'block:upsert', conversationId: 'T', block: call('u1') },
  ])
  expect(toolCalls(state)).toEqual([])
  expect(toolCalls(findConversation(state, 'T') ?? thread())).toMatchObject([
    { call: { conversationId: 'T' } },
  ])
})
