import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRequestAgents, readAnswer } from '../../src/entries/lineage.ts'

// The events of the official clients, for an answer with a text and a call.
const MESSAGES = [
  {
    type: 'message_start',
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      content: [],
      model: 'm',
      usage: { input_tokens: 10, output_tokens: 1 },
    },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm.' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'sig' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'ping' },
  { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'I lo' } },
  { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'ok.' } },
  { type: 'content_block_stop', index: 1 },
  {
    type: 'content_block_start',
    index: 2,
    content_block: { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: {} },
  },
  { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '' } },
  {
    type: 'content_block_delta',
    index: 2,
    delta: { type: 'input_json_delta', partial_json: '{"command": "l' },
  },
  { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: 's"}' } },
  { type: 'content_block_stop', index: 2 },
  { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 20 } },
  { type: 'message_stop' },
]
const CHAT = [
  { id: 'c', choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }] },
  { id: 'c', choices: [{ index: 0, delta: { content: 'I look.' }, finish_reason: null }] },
  {
    id: 'c',
    choices: [
      {
        index: 0,
        delta: {
          tool_calls: [
            { index: 0, id: 'call_1', type: 'function', function: { name: 'bash', arguments: '' } },
          ],
        },
      },
    ],
  },
  {
    id: 'c',
    choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: '{"a"' } }] } }],
  },
  { id: 'c', choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: ':1}' } }] } }] },
  { id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
  { id: 'c', choices: [], usage: { prompt_tokens: 10, completion_tokens: 20 } },
  '[DONE]',
]
const RESPONSES = [
  { type: 'response.created', response: { id: 'r', output: [] } },
  {
    type: 'response.output_item.added',
    output_index: 0,
    item: { id: 'm', type: 'message', role: 'assistant', content: [] },
  },
  { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'I lo' },
  { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'ok.' },
  {
    type: 'response.output_item.done',
    output_index: 0,
    item: {
      id: 'm',
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'I look.', annotations: [] }],
    },
  },
  {
    type: 'response.output_item.added',
    output_index: 1,
    item: { id: 'f', type: 'function_call', call_id: 'call_1', name: 'bash', arguments: '' },
  },
  { type: 'response.function_call_arguments.delta', output_index: 1, delta: '{"a":1}' },
  {
    type: 'response.output_item.done',
    output_index: 1,
    item: { id: 'f', type: 'function_call', call_id: 'call_1', name: 'bash', arguments: '{"a":1}' },
  },
  {
    type: 'response.completed',
    response: { id: 'r', output: [], usage: { input_tokens: 10, output_tokens: 20 } },
  },
]

const serverSentEvent = (chunk: { type?: string } | string) =>
  typeof chunk === 'string'
    ? `data: ${chunk}\n\n`
    : `event: ${chunk.type}\ndata: ${JSON.stringify(chunk)}\n\n`

describe('a streamed answer', () => {
  it('of Messages is the message that the next request repeats', () => {
    const { message, isWhole } = readAnswer('messages', MESSAGES)
    expect(isWhole).toBe(true)
    expect(message).toEqual({
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Hm.', signature: 'sig' },
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'ls' } },
      ],
      usage: { input_tokens: 10, output_tokens: 20 },
    })
  })

  it('of Chat Completions has its calls', () => {
    expect(
      readAnswer(
        'chat-completions',
        CHAT.map((chunk) => (typeof chunk === 'string' ? chunk : JSON.stringify(chunk))),
      ),
    ).toEqual({
      isWhole: true,
      message: {
        role: 'assistant',
        content: 'I look.',
        tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'bash', arguments: '{"a":1}' } }],
        usage: { prompt_tokens: 10, completion_tokens: 20 },
      },
    })
  })

  it('of Responses has the items of its output', () => {
    const { message, isWhole } = readAnswer('responses', RESPONSES)
    expect(isWhole).toBe(true)
    expect(message.content).toEqual([
      {
        id: 'm',
        type: 'message',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'I look.', annotations: [] }],
      },
      { id: 'f', type: 'function_call', call_id: 'call_1', name: 'bash', arguments: '{"a":1}' },
    ])
  })

  it.each([
    ['messages', MESSAGES],
    ['chat-completions', CHAT],
    ['responses', RESPONSES],
  ] as const)('of %s that breaks off has what came, and says so', (api, chunks) => {
    for (let cut = 0; cut < chunks.length - 3; cut += 1) {
      const { message, isWhole } = readAnswer(api, chunks.slice(0, cut))
      expect([message.role, isWhole]).toEqual(['assistant', false])
    }
    expect(JSON.stringify(readAnswer(api, chunks.slice(0, -4)).message)).toContain('I lo')
  })

  // A gateway forwards bytes. An answer of bytes was empty, without an error.
  it.each([
    ['messages', MESSAGES],
    ['chat-completions', CHAT],
    ['responses', RESPONSES],
  ] as const)('of %s may be the text or the bytes of the response, cut anywhere', (api, chunks) => {
    const text = chunks.map(serverSentEvent).join('')
    const whole = readAnswer(api, chunks)
    fc.assert(
      fc.property(fc.array(fc.nat(text.length)), fc.boolean(), (places, isBytes) => {
        const cuts = [0, ...places.sort((one, other) => one - other), text.length]
        const pieces = cuts.slice(1).map((end, at) => text.slice(cuts[at], end))
        const encoder = new TextEncoder()
        const given = isBytes ? pieces.map((piece) => encoder.encode(piece)) : pieces
        expect(readAnswer(api, given)).toEqual(whole)
      }),
    )
    expect(readAnswer(api, text)).toEqual(whole)
    for (const end of ['\r\n', '\r']) expect(readAnswer(api, text.replaceAll('\n', end))).toEqual(whole)
    // An event may have several lines of data, and a server may leave out the empty lines.
    expect(readAnswer(api, text.replace('{', '{\ndata:'))).toEqual(whole)
    expect(readAnswer(api, text.replaceAll('\n\n', '\n'))).toEqual(whole)
    for (const body of [text, `\uFEFF${text}`]) {
      expect(readAnswer(api, body)).toEqual(whole)
      expect(readAnswer(api, new TextEncoder().encode(body))).toEqual(whole)
    }
  })

  it('of Chat Completions is whole if each chunk has an empty error', () => {
    const chunks = CHAT.map((chunk) => (typeof chunk === 'string' ? chunk : { ...chunk, error: null }))
    expect(readAnswer('chat-completions', chunks)).toEqual(readAnswer('chat-completions', CHAT))
  })

  const INDEXES = /^(index|output_index|content_index)$/
  it.each([
    ['messages', MESSAGES],
    ['chat-completions', CHAT],
    ['responses', RESPONSES],
  ] as const)('of %s may state no indexes, or huge ones', (api, chunks) => {
    const revised = (change: (index: number) => number | undefined) =>
      JSON.parse(
        JSON.stringify(chunks, (name, value) =>
          // The index of a choice says which of the answers it is.
          INDEXES.test(name) && api !== 'chat-completions' ? change(value) : value,
        ),
      )
    const whole = readAnswer(api, chunks)
    expect(
      readAnswer(
        api,
        revised(() => undefined),
      ),
    ).toEqual(whole)
    expect(
      readAnswer(
        api,
        revised((index) => index * 2 ** 40 + 10 ** 9),
      ),
    ).toEqual(whole)
  })

  // The second item took the place of the first.
  it('of Responses may state neither indexes nor ids', () => {
    const bare = (value: unknown) =>
      JSON.parse(
        JSON.stringify(value, (name, field) => (name === 'id' || INDEXES.test(name) ? undefined : field)),
      )
    const { content } = readAnswer('responses', RESPONSES).message
    expect(readAnswer('responses', bare(RESPONSES)).message.content).toEqual(bare(content))
  })

  it.each([
    [
      'ids',
      [
        { id: 'call_1', function: { name: 'bash', arguments: '{"a"' } },
        { function: { arguments: ':1}' } },
        { id: 'call_2', function: { name: 'read', arguments: '' } },
        { id: 'call_2', function: { name: 'read', arguments: '{}' } },
      ],
      [
        ['call_1', 'bash', '{"a":1}'],
        ['call_2', 'read', '{}'],
      ],
    ],
    [
      'names',
      [
        { function: { name: 'bash', arguments: '{}' } },
        { function: { name: 'read', arguments: '{' } },
        { function: { arguments: '}' } },
      ],
      [
        ['', 'bash', '{}'],
        ['', 'read', '{}'],
      ],
    ],
    [
      'huge indexes',
      [
        { index: 2 ** 31, id: 'call_2', function: { name: 'read', arguments: '{' } },
        { index: 10 ** 9, id: 'call_1', function: { name: 'bash', arguments: '{}' } },
        { index: 2 ** 31, function: { arguments: '}' } },
      ],
      [
        ['call_1', 'bash', '{}'],
        ['call_2', 'read', '{}'],
      ],
    ],
  ])('keeps calls apart by their %s', (_, pieces, expected) => {
    const chunks = pieces.map((piece) => ({ choices: [{ delta: { tool_calls: [piece] } }] }))
    const calls = readAnswer('chat-completions', chunks).message.tool_calls
    expect(calls).toEqual(
      expected.map(([id, name, text]) => ({ id, type: 'function', function: { name, arguments: text } })),
    )
  })

  it('keeps a count that a later one does not state', () => {
    const events = [
      { type: 'message_start', message: { usage: { input_tokens: 10 } } },
      { type: 'message_delta', usage: { input_tokens: null, output_tokens: 2 } },
    ]
    expect(readAnswer('messages', events).message.usage).toEqual({ input_tokens: 10, output_tokens: 2 })
  })

  it('keeps a character that the pieces of the response cut', () => {
    const delta = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'schön' } }
    const start = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }
    const bytes = new TextEncoder().encode(
      [start, delta, { type: 'message_stop' }].map(serverSentEvent).join(''),
    )
    const pieces = Array.from(bytes, (byte) => Uint8Array.of(byte))
    expect(readAnswer('messages', pieces).message.content).toEqual([{ type: 'text', text: 'schön' }])
  })

  it('ignores a text that is no JSON among its events', () => {
    const events = [
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Fine.' } },
      { type: 'message_stop' },
    ].map((event) => JSON.stringify(event))
    const { message, isWhole } = readAnswer('messages', [events[0], ': keep-alive', events[1], '[DONE]'])
    expect([message.content, isWhole]).toEqual([[{ type: 'text', text: 'Fine.' }], true])
  })

  it('that is still a stream is refused, with what to do', () => {
    const stream = new Response('data: {}').body
    expect(() => readAnswer('messages', stream as never)).toThrow(/^chunks: collect the stream first/)
  })

  it('takes any chunk', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('messages', 'chat-completions', 'responses'),
        fc.array(fc.anything()),
        (api, chunks) => {
          readAnswer(api, chunks)
        },
      ),
    )
  })

  it('leads the next request to its agent', () => {
    const agents = createRequestAgents()
    const user = { role: 'user', content: 'Hi' }
    const { message } = readAnswer('messages', MESSAGES)
    const { usage: _, ...repeated } = message
    agents.answered(agents.begin({ messages: [user] }), message)
    expect(agents.begin({ messages: [user, repeated, user] }).agentId).toBe('agent-1')
  })
})

// A gateway counted a request without `stream` as failed, because its answer had no events.
describe('an answer that is not streamed', () => {
  const text = { type: 'text', text: 'Fine.' }
  const said = { role: 'assistant', content: 'Fine. data: x', tool_calls: [{ id: 'call_1' }] }
  const item = { type: 'message', role: 'assistant', content: [] }
  it.each([
    [
      'messages',
      { type: 'message', role: 'assistant', content: [text], stop_reason: 'end_turn' },
      { role: 'assistant', content: [text] },
    ],
    [
      'chat-completions',
      { object: 'chat.completion', choices: [{ index: 0, message: said, finish_reason: 'stop' }] },
      said,
    ],
    [
      'responses',
      { object: 'response', status: 'completed', output: [item] },
      { role: 'assistant', content: [item] },
    ],
  ] as const)('of %s is the message', (api, answer, message) => {
    const body = JSON.stringify({ ...answer, usage: { input_tokens: 5 } }, null, 2)
    const bytes = new TextEncoder().encode(body)
    const chunks = [body, `\uFEFF${body}`, bytes, [bytes.slice(0, 30), bytes.slice(30)], [JSON.parse(body)]]
    const expected = { message: { ...message, usage: { input_tokens: 5 } }, isWhole: true }
    for (const each of chunks) expect(readAnswer(api, each)).toEqual(expected)
    expect(readAnswer(api, body.slice(0, -4)).isWhole).toBe(false)
  })

  it.each([
    ['messages', { type: 'error', error: { message: 'busy' } }],
    ['messages', { input_tokens: 5 }],
    ['chat-completions', { error: { message: 'busy' } }],
    ['responses', { object: 'response', status: 'failed', output: [] }],
  ] as const)('of %s is not whole if it is %j', (api, body) => {
    expect(readAnswer(api, JSON.stringify(body)).isWhole).toBe(false)
  })
})
