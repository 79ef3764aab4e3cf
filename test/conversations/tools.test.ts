import { describe, expect, it } from 'vitest'
import {
  attachSummary,
  type ConversationLog,
  conversationTools,
  createConversationLog,
  handleConversationTool,
  pastConversations,
} from '../../src/entries/conversations.ts'
import { at, chat, message, nested } from './messages.ts'

const { log } = chat(Array.from({ length: 60 }, (_, each) => message(`m${each}`, 31 * each)))
const call = (name: string, input: unknown, on: ConversationLog = log) =>
  handleConversationTool(on, { name, input })

it('have JSON Schemas without additional properties', () => {
  expect(
    conversationTools.map(({ name, inputSchema }) => [name, Object.keys(inputSchema.properties)]),
  ).toEqual([
    ['end_conversation', []],
    ['get_conversation', ['conversation_id', 'count', 'before', 'query']],
  ])
  for (const { inputSchema } of conversationTools)
    expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false })
})

describe('get_conversation', () => {
  it.each([
    [{}, 10],
    [undefined, 10],
    [null, 10],
    [{ count: 3 }, 3],
    [{ count: 50 }, 50],
  ])('lists the latest past conversations, the newest first: %j', (input, length) => {
    const { result, log: after } = call('get_conversation', input)
    const listed = JSON.parse(result.content)
    expect(listed).toHaveLength(length)
    expect(listed[0]).toEqual({
      id: `conv-${at(31 * 58)}`,
      startedAt: at(31 * 58),
      endedAt: at(31 * 58),
      title: null,
      summary: null,
      messages: 1,
    })
    expect(after).toBe(log)
  })

  it('lists nothing if the log is empty', () => {
    expect(call('get_conversation', {}, createConversationLog()).result).toEqual({
      content: '[]',
      isError: false,
    })
  })

  it('reaches each of 1,000 past conversations in pages', () => {
    const { log: long } = chat(Array.from({ length: 1000 }, (_, each) => message(`m${each}`, 31 * each)))
    const page = (input: object): readonly { readonly id: string }[] =>
      JSON.parse(call('get_conversation', { count: 50, ...input }, long).result.content)
    const ids: string[] = []
    for (let next = page({}); next.length > 0; next = page({ before: ids.at(-1) }))
      ids.push(...next.map(({ id }) => id))
    expect(ids).toEqual(
      pastConversations(long)
        .map(({ id }) => id)
        .reverse(),
    )
    expect(ids).toHaveLength(999)
  })

  it('finds the conversations with all words, in the title, the summary and the messages', () => {
    const first = `conv-${at(31)}`
    const { log: named } = attachSummary(log, first, {
      title: 'Trains to Bern',
      summary: 'The fare was looked up.',
    })
    const found = (input: object) =>
      JSON.parse(call('get_conversation', input, named).result.content).map(({ id }: { id: string }) => id)
    const content = message('m1', 31).content
    expect(found({ query: 'bern  FARE' })).toEqual([first])
    expect(found({ query: `trains ${content}` })).toEqual([first])
    expect(found({ query: 'bern plane' })).toEqual([])
    expect(found({ query: 'bern', before: first })).toEqual([])
    expect(found({ query: ' ', count: 50 })).toHaveLength(50)
  })

  it('returns one conversation with its messages', () => {
    const { content } = call('get_conversation', { conversation_id: `conv-${at(31)}` }).result
    expect(JSON.parse(content).messages).toEqual([message('m1', 31)])
  })
})

describe('end_conversation', () => {
  it('changes nothing the second time', () => {
    const once = call('end_conversation', {}).log
    expect(once).toEqual({ ...log, isEnding: true })
    expect(call('end_conversation', null, once).log).toBe(once)
  })

  it('reports that no conversation is active', () => {
    const empty = createConversationLog()
    const handled = call('end_conversation', {}, empty)
    expect(handled).toEqual({
      log: empty,
      result: { content: 'No conversation is active.', isError: false },
    })
    expect(handled.log).toBe(empty)
  })
})

describe('a conversation that JSON cannot hold', () => {
  it.each<[string, unknown]>([
    ['a bigint', 1n],
    ['nested too deep', nested(100_000)],
    ['a method that throws', { toJSON: () => JSON.parse('') }],
  ])('is a tool error and not an exception: %s', (_, value) => {
    const [id, own] = [`conv-${at(0)}`, { id: 'm', meta: value }]
    const conversation = {
      startedAt: at(0),
      endedAt: at(0),
      title: null,
      summary: null,
      messages: [],
      id,
      own,
    }
    const past = { ...log, ended: { count: 1, dropped: 0, chunks: [[conversation]] } }
    expect(call('get_conversation', { conversation_id: id }, past).result).toEqual({
      content: 'the result cannot be written as JSON',
      isError: true,
    })
    expect(call('get_conversation', {}, past).result.isError).toBe(false)
  })
})

it.each([{ toString: 1 }, nested(100_000), Symbol('name'), undefined])(
  'answers a call without a tool name with a tool error (%#)',
  (name) => {
    expect(call(name as string, {}).result).toEqual({
      content: 'unknown tool',
      isError: true,
    })
  },
)

it.each<[string, unknown, string]>([
  ['get_conversation', { conversation_id: 'conv-nobody' }, 'no conversation has the id "conv-nobody"'],
  ['get_conversation', { conversation_id: 7 }, 'conversation_id: pass a string'],
  ['get_conversation', { count: 0 }, 'count: pass an integer from 1 to 50'],
  ['get_conversation', { count: 51 }, 'count: pass an integer from 1 to 50'],
  ['get_conversation', { count: 1.5 }, 'count: pass an integer from 1 to 50'],
  ['get_conversation', { count: '3' }, 'count: pass an integer from 1 to 50'],
  ['get_conversation', { conversation_id: 'x', count: -5 }, 'count: pass an integer from 1 to 50'],
  ['get_conversation', { before: 7 }, 'before: pass a string'],
  ['get_conversation', { before: null }, 'before: pass a string'],
  ['get_conversation', { before: 'conv-nobody' }, 'before: no past conversation has the id "conv-nobody"'],
  ['get_conversation', { query: ['a'] }, 'query: pass a string'],
  ['get_conversation', { id: 'x' }, 'unknown argument: id'],
  ['get_conversation', 'text', 'the arguments must be an object'],
  ['get_conversation', [], 'the arguments must be an object'],
  ['end_conversation', { reason: 'done' }, 'unknown argument: reason'],
  ['constructor', {}, 'unknown tool: constructor'],
])('answers bad arguments with a tool error: %s %j', (name, input, content) => {
  const handled = call(name, input)
  const issue = { code: expect.any(String), path: expect.any(Array) }
  expect(handled).toEqual({ log, result: { content, isError: true }, issue })
  expect(handled.log).toBe(log)
})
