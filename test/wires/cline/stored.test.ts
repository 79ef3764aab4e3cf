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
  // The notice began a turn that ended the teammate as an error.
  it('ends a teammate that works on after its call as the notice says', () => {
    const call = (id: string, agentId: string) => ({
      type: 'tool_use',
      id,
      name: 'team_run_task',
      input: { agentId, task: `${agentId}'s task`, mode: 'async' },
    })
    const launched = (id: string, runId: string) => ({
      type: 'tool_result',
      tool_use_id: id,
      name: 'team_run_task',
      content: JSON.stringify({ mode: 'async', status: 'queued', runId }),
    })
    const notice = (...updates: readonly string[]) =>
      user(
        `<user_input mode="act">System-delivered teammate async run updates:\n${updates.join('\n')}\n\nGo on.</user_input>`,
      )
    const begun = [
      user('Go.'),
      reply([call('c1', 'scout'), call('c2', 'tester'), call('c3', 'writer')]),
      user([launched('c1', 'run_1'), launched('c2', 'run_2'), launched('c3', 'run_3')]),
      reply([{ type: 'text', text: 'Started.' }]),
      notice(
        '- run_1 (scout) -> completed iterations=2',
        '- run_2 (tester) -> failed iterations=1 error=No network.',
      ),
      reply([{ type: 'text', text: 'One is left.' }]),
    ]
    const statuses = (messages: readonly object[]) =>
      parseTranscript('cline', stored(messages)).subagents.map(({ status, output }) => [status, output])
    const ended = [
      ...begun,
      notice('- run_3 (writer) -> cancelled'),
      reply([{ type: 'text', text: 'Done.' }]),
    ]
    expect(statuses(ended)).toEqual([
      ['success', undefined],
      ['error', 'No network.'],
      ['error', undefined],
    ])
    expect(readTranscript('cline', stored(begun)).issues).toEqual([
      { code: 'unfinished-subagent', count: 1, toolUseId: 'c3' },
    ])
  })

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
