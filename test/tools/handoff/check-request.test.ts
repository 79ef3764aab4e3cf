import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/core/json/values.ts'
import type { ConversationBlock } from '../../../src/core/state/block.ts'
import { createInitialConversationState, type SessionConversationState } from '../../../src/entries/index.ts'
import { checkRequest } from '../../../tools/handoff/check-request.ts'

const BASE = { conversationId: 'main', status: 'complete' } as const

function call(id: string, command: string, output: string): readonly ConversationBlock[] {
  const result = {
    ...BASE,
    type: 'tool_result',
    id: `${id}:result`,
    toolUseId: id,
    output,
    isError: false,
  } as const
  return [{ ...BASE, type: 'tool_use', id, toolUseId: id, toolName: 'Bash', input: { command } }, result]
}

const blocks: readonly ConversationBlock[] = [
  { ...BASE, type: 'user_message', id: 'p1', content: 'Count the lines.' },
  { ...BASE, type: 'assistant_text', id: 't1', content: 'I count.' },
  ...call('a', 'wc -l one.md', '3 one.md'),
  ...call('b', 'wc -l two.md', '5 two.md'),
  { ...BASE, type: 'user_message', id: 'p2', content: 'Count the lines.' },
  { ...BASE, type: 'assistant_text', id: 't2', content: 'Eight.' },
]
const state: SessionConversationState = { ...createInitialConversationState(), blocks }

const text = (role: string, words: string) => ({ role, content: [{ type: 'text', text: words }] })
const use = (id: string, command: string) => ({ type: 'tool_use', id, name: 'bash', input: { command } })
const answer = (id: string, content: string) => ({ type: 'tool_result', tool_use_id: id, content })

/** The messages of the session in the dialect of Anthropic. */
const MESSAGES: readonly JsonObject[] = [
  text('user', 'Count the lines.'),
  text('assistant', 'I count.'),
  { role: 'assistant', content: [use('a', 'wc -l one.md')] },
  { role: 'user', content: [answer('a', '3 one.md')] },
  { role: 'assistant', content: [use('b', 'wc -l two.md')] },
  { role: 'user', content: [answer('b', '5 two.md')] },
  text('user', 'Count the lines.'),
  text('assistant', 'Eight.'),
]

const foundIn = (body: JsonObject) =>
  Object.fromEntries(
    Object.entries(checkRequest(body, state, state)).map(([kind, { found }]) => [kind, found]),
  )
const WHOLE = { prompts: 2, texts: 2, calls: 2, results: 2 }

describe('checkRequest', () => {
  it('finds all of a whole request', () => {
    expect(checkRequest({ messages: MESSAGES }, state, state)).toEqual({
      prompts: { found: 2, all: 2 },
      texts: { found: 2, all: 2 },
      calls: { found: 2, all: 2 },
      results: { found: 2, all: 2 },
    })
  })

  it.each(MESSAGES.map((message, at) => [JSON.stringify(message), at] as const))(
    'misses %s if the request lacks it',
    (_, at) => {
      const found = foundIn({ messages: MESSAGES.filter((_message, index) => index !== at) })
      expect(Object.values(found).reduce((sum, count) => sum + count, 0)).toBeLessThan(8)
    },
  )

  it.each([
    ['calls', 2, 4],
    ['results', 3, 5],
    ['texts', 1, 7],
    ['results', 2, 3],
    ['calls', 2, 7],
    ['texts', 0, 1],
  ] as const)('misses %s in the wrong order', (kind, one, other) => {
    const messages = MESSAGES.with(one, MESSAGES[other] ?? {}).with(other, MESSAGES[one] ?? {})
    expect(foundIn({ messages })[kind]).toBeLessThan(2)
  })

  it('misses a response before the result that it answers', () => {
    const messages = [
      ...MESSAGES.slice(0, 5),
      ...MESSAGES.slice(6, 7),
      ...MESSAGES.slice(5, 6),
      ...MESSAGES.slice(7),
    ]
    expect(foundIn({ messages })).not.toEqual(WHOLE)
  })

  it('looks for all parts of a prompt and of a result, with their images', () => {
    const data = 'iVBORw0KGgo='
    const prompted = [
      { type: 'text', text: 'Look.' },
      { type: 'image', source: { type: 'base64', mediaType: 'image/png', data } },
    ] as const
    const output = [
      { type: 'text', text: 'One.' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
    ]
    const [use, result] = call('a', 'wc -l one.md', '')
    const pictures: readonly ConversationBlock[] = [
      { ...BASE, type: 'user_message', id: 'p', content: prompted },
      ...(use?.type === 'tool_use' && result?.type === 'tool_result' ? [use, { ...result, output }] : []),
    ]
    const seen = { ...state, blocks: pictures }
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data } }
    const messages = (prompt: readonly object[], answered: readonly object[]) => [
      { role: 'user', content: prompt },
      MESSAGES[2],
      { role: 'user', content: [{ type: 'tool_result', content: answered }] },
    ]
    const check = (prompt: readonly object[], answered: readonly object[]) => {
      const { prompts, results } = checkRequest({ messages: messages(prompt, answered) }, seen, seen)
      return [prompts.found, results.found]
    }
    const [look, one] = [
      { type: 'text', text: 'Look.' },
      { type: 'text', text: 'One.' },
    ]
    expect(check([look, image], [one, image])).toEqual([1, 1])
    expect(check([look], [one, image])).toEqual([0, 1])
    expect(check([look, image], [one])).toEqual([1, 0])
    expect(check([image], [image])).toEqual([0, 0])

    expect(check([look, image], [image, one])).toEqual([1, 1])
    expect(check([look, image], [one, one])).toEqual([1, 0])

    // Chats with tools that take texts alone: the program puts the image into a message of the person.
    const behind = (...later: readonly JsonObject[]) => {
      const body = { messages: [...messages([look, image], [one]), ...later] }
      const answered = { ...seen, blocks: [...pictures, ...blocks.slice(1, 2)] }
      const { results, texts } = checkRequest(body, answered, answered)
      return [results.found, texts.found]
    }
    const [told, said] = [{ role: 'user', content: [image] }, text('assistant', 'I count.')]
    expect(behind(told, said)).toEqual([1, 1])
    expect(behind(said)).toEqual([0, 1])
    expect(behind(said, told)).toEqual([1, 0])
  })

  it('takes no words of another kind for a result', () => {
    const messages = MESSAGES.with(3, text('assistant', '3 one.md'))
    expect(foundIn({ messages })).toEqual({ ...WHOLE, results: 1 })
  })

  it('looks only behind the last summary', () => {
    const summary = {
      ...BASE,
      type: 'user_message',
      id: 's',
      origin: 'summary',
      content: 'Two files.',
    } as const
    const cut = { ...state, blocks: [...blocks.slice(0, 6), summary, ...blocks.slice(6)] }
    const messages = [text('user', 'Two files.'), ...MESSAGES.slice(6)]
    expect(checkRequest({ messages }, cut, cut)).toMatchObject({
      prompts: { found: 2, all: 2 },
      calls: { found: 0, all: 0 },
    })
  })

  it('reads the dialects of OpenAI', () => {
    const called = (id: string, command: string) => ({
      role: 'assistant',
      content: null,
      tool_calls: [
        { id, type: 'function', function: { name: 'bash', arguments: JSON.stringify({ command }) } },
      ],
    })
    const chat = MESSAGES.toSpliced(
      2,
      4,
      called('a', 'wc -l one.md'),
      { role: 'tool', content: '3 one.md' },
      called('b', 'wc -l two.md'),
      {
        role: 'tool',
        content: '5 two.md',
      },
    )
    expect(foundIn({ messages: chat })).toEqual(WHOLE)
    const item = (command: string) => ({ type: 'function_call', arguments: JSON.stringify({ command }) })
    const output = (words: string) => ({ type: 'function_call_output', output: words })
    const input = MESSAGES.toSpliced(
      2,
      4,
      item('wc -l one.md'),
      output('3 one.md'),
      item('wc -l two.md'),
      output('5 two.md'),
    )
    expect(foundIn({ input })).toEqual(WHOLE)
  })

  it('reads the dialect of Gemini', () => {
    const said = (role: string, words: string) => ({ role, parts: [{ text: words }] })
    const contents = [
      said('user', 'Count the lines.'),
      {
        role: 'model',
        parts: [{ text: 'I count.' }, { functionCall: { args: { command: 'wc -l one.md' } } }],
      },
      { role: 'user', parts: [{ functionResponse: { response: { output: '3 one.md' } } }] },
      { role: 'model', parts: [{ functionCall: { args: { command: 'wc -l two.md' } } }] },
      { role: 'user', parts: [{ functionResponse: { response: { output: '5 two.md' } } }] },
      said('user', 'Count the lines.'),
      said('model', 'Eight.'),
    ]
    expect(foundIn({ contents })).toEqual(WHOLE)
  })

  it('finds the report of an agent in the message with which Codex tells it', () => {
    const status = 'success'
    const agent = {
      ...BASE,
      status,
      type: 'subagent',
      id: 'subagent:g',
      toolUseId: 'g',
      input: 'Look',
    } as const
    const subagents = [{ toolUseId: 'g', status, output: 'Seen.', blocks: [], usage: [] } as const]
    const withAgent = { ...state, blocks: [agent], subagents }
    const news = text(
      'user',
      '<subagent_notification>\n{"status":{"completed":"Seen."}}\n</subagent_notification>',
    )
    const input = [{ type: 'function_call', arguments: '{"message":"Look"}' }, news]
    expect(checkRequest({ input }, withAgent, withAgent)).toMatchObject({
      calls: { found: 1, all: 1 },
      results: { found: 1, all: 1 },
    })
  })
})
