import { describe, expect, it } from 'vitest'
import { clineTranscript } from '../../../src/entries/cline.ts'
import { sessionStatus } from '../../../src/entries/index.ts'
import type { CombinedTranscript } from '../../../src/reading/input/combined.ts'
import { parseTranscript, readTranscript } from '../../../src/wires/transcript.ts'

const AT = Date.parse('2026-11-22T10:00:00Z')

/** Returns a stored session with these messages, one second apart. */
function stored(messages: readonly object[], index?: object): CombinedTranscript {
  const file = {
    version: 1,
    sessionId: '1_s',
    agent: 'lead',
    origin: {},
    messages: messages.map((message, at) => ({ id: `m${at}`, ts: AT + at * 1000, ...message })),
  }
  return clineTranscript({
    '1_s/1_s.messages.json': JSON.stringify(file),
    ...(index && { '1_s/1_s.json': JSON.stringify({ session_id: '1_s', messages_path: 'x', ...index }) }),
  })
}

const user = (content: unknown) => ({ role: 'user', content })
const reply = (content: unknown, more: object = {}) => ({ role: 'assistant', content, ...more })

describe('a stored session of Cline', () => {
  it.each<[string, unknown, unknown]>([
    ['a text', 'Hi.', 'Hi.'],
    ['a text within marks', [{ type: 'text', text: '<user_input mode="act">Hi.</user_input>' }], 'Hi.'],
    [
      'an image with a source',
      [
        { type: 'text', text: 'See.' },
        { type: 'image', source: { data: 'AAAA', media_type: 'image/gif' } },
      ],
      [
        { type: 'text', text: 'See.' },
        { type: 'image', source: { type: 'base64', mediaType: 'image/gif', data: 'AAAA' } },
      ],
    ],
    [
      'an image with its bytes alone',
      [{ type: 'image', data: 'AAAA' }],
      [{ type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'AAAA' } }],
    ],
  ])('has a prompt with %s', (_, content, expected) => {
    const { blocks } = parseTranscript('cline', stored([user(content), reply('Hello.')]))
    expect(blocks[0]).toMatchObject({ type: 'user_message', content: expected })
  })

  it('leaves out an image without bytes, and a result without a call', () => {
    const odd = [
      { type: 'image', source: {} },
      { type: 'tool_result', content: 'x' },
      { type: 'text', text: 'Hi.' },
    ]
    const { blocks } = parseTranscript('cline', stored([user(odd), reply('Hello.')]))
    expect(blocks.map(({ type }) => type)).toEqual(['user_message', 'assistant_text'])
  })

  it('has a notification of the program as one', () => {
    const messages = [user('Hi.'), reply('Hello.'), user('System-delivered message: done')]
    const { blocks } = parseTranscript('cline', stored(messages))
    expect(blocks.at(-1)).toMatchObject({ type: 'user_message', origin: 'notification' })
  })

  it('ends as the facts beside it say', () => {
    const messages = [user('Hi.'), reply('Hello.')]
    expect(sessionStatus(parseTranscript('cline', stored(messages, { status: 'completed' })))).toBe(
      'finished',
    )
    expect(sessionStatus(parseTranscript('cline', stored(messages, { status: 'cancelled' })))).toBe(
      'interrupted',
    )
    const { state } = { state: parseTranscript('cline', stored([user('Hi.')], { status: 'completed' })) }
    expect(sessionStatus(state)).toBe('interrupted')
  })

  it('keeps a prompt of an earlier time, which begins no turn', () => {
    const messages = [user('Hi.'), reply('Hello.'), { ...user('Before.'), ts: AT - 1000 }]
    const { blocks, turn } = parseTranscript('cline', stored(messages))
    expect(blocks.map(({ type }) => type)).toEqual(['user_message', 'assistant_text', 'user_message'])
    expect(turn.startedAt).toBe(new Date(AT).toISOString())
  })

  it('has the result of a call whose agent or tool is named in the result alone', () => {
    const messages = [
      user('Hi.'),
      reply([
        { type: 'text', text: 'Look.' },
        { type: 'tool_use', id: 'c1', name: 'run_commands', input: {} },
      ]),
      user([{ type: 'tool_result', tool_use_id: 'c1', content: 'refused', is_error: true }]),
      reply([], { metrics: { inputTokens: 3, outputTokens: 1 } }),
    ]
    const { state, issues } = {
      state: parseTranscript('cline', stored(messages)),
      ...readTranscript('cline', stored(messages)),
    }
    expect(issues).toEqual([])
    expect(state.blocks.find(({ type }) => type === 'tool_result')).toMatchObject({ isError: true })
    expect(state.usage.at(-1)).toMatchObject({ inputTokens: 3 })
  })

  it('is one file without its folder too', () => {
    const file = {
      version: 1,
      sessionId: '1_s',
      agent: 'lead',
      origin: {},
      messages: [{ id: 'm', ...user('Hi.') }],
    }
    const alone = clineTranscript({ '1_s.messages.json': JSON.stringify(file), 'notes.txt': 'x' })
    expect(parseTranscript('cline', alone).blocks).toHaveLength(1)
    expect(() => clineTranscript({ 'other.messages.json': JSON.stringify(file) })).toThrow(
      'a <session>.messages.json',
    )
  })
})
