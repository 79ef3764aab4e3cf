import { describe, expect, it } from 'vitest'
import type { UserContentPart } from '../../../src/core/state/content.ts'
import { toUIMessages } from '../../../src/entries/ai-sdk.ts'
import type { SessionEvent } from '../../../src/entries/index.ts'
import type { IncomingBlock } from '../../../src/entries/source-kit.ts'
import { complete, fold, spawn, text, toolUse, upsert, usage } from '../../core/reducer/example.ts'
import { expectValid } from './reader.ts'

const prompt = (
  id: string,
  content: string | readonly UserContentPart[] = 'Hi.',
  rest: object = {},
): SessionEvent => upsert({ id, type: 'user_message', status: 'complete', content, ...rest })

const result = (toolUseId: string, rest: Partial<Extract<IncomingBlock, { type: 'tool_result' }>> = {}) =>
  upsert({
    id: `${toolUseId}:result`,
    type: 'tool_result',
    status: 'complete',
    toolUseId,
    output: 'done',
    isError: false,
    ...rest,
  })

const request = (rest: Partial<Extract<IncomingBlock, { type: 'request' }>> = {}) =>
  upsert({
    id: 'r',
    type: 'request',
    status: 'pending',
    kind: 'permission',
    title: 'Read a file',
    toolUseId: 'T',
    ...rest,
  })

/** Returns the parts of the last message. */
function lastParts(...events: readonly SessionEvent[]) {
  return toUIMessages(fold(...events)).at(-1)?.parts ?? []
}

describe('messages', () => {
  it('the person has user messages, and everything until the next one is one answer', () => {
    const messages = toUIMessages(
      fold(
        upsert(text('before', { content: 'Hello.', status: 'complete' })),
        prompt('p1'),
        upsert(text('a', { content: 'One.', messageId: 'm1' })),
        upsert(text('b', { content: 'Two.', messageId: 'm2' })),
        prompt('p2'),
        prompt('p3'),
      ),
    )
    expect(messages.map(({ id, role }) => [id, role])).toEqual([
      ['main:answer', 'assistant'],
      ['p1', 'user'],
      ['p1:answer', 'assistant'],
      ['p2', 'user'],
      ['p3', 'user'],
    ])
    expect(messages[2]?.parts.map(({ type }) => type)).toEqual(['step-start', 'text', 'step-start', 'text'])
  })

  it('have times, the model, the tokens of each response and the plan as metadata', () => {
    const [user, first, , second] = toUIMessages(
      fold(
        prompt('p1', 'Hi.', { timestamp: 't0', checkpoint: true, changes: [] }),
        upsert(text('a', { messageId: 'm1', timestamp: 't1', model: 'big', status: 'complete' })),
        upsert(text('b', { messageId: 'm2', timestamp: 't2', status: 'complete' })),
        prompt('p2'),
        upsert(text('c', { messageId: 'm4', status: 'complete' })),
        usage('m1', 1),
        usage('m2', 2),
        usage('m3', 3),
        usage('m4', 4),
        { type: 'todos:updated', todos: [{ text: 'Think', status: 'pending' }] },
      ),
    )
    expect(user?.metadata).toEqual({
      conversationId: 'main',
      startedAt: 't0',
      endedAt: 't0',
      checkpoint: true,
      changes: [],
    })
    expect(first?.metadata).toMatchObject({ startedAt: 't1', endedAt: 't2', model: 'big' })
    expect(first?.metadata.responses?.map(({ outputTokens }) => outputTokens)).toEqual([1, 2, 3])
    expect(first?.metadata.todos).toBe(undefined)
    expect(second?.metadata.responses?.map(({ outputTokens }) => outputTokens)).toEqual([4])
    expect(second?.metadata.todos).toEqual([{ text: 'Think', status: 'pending' }])
  })

  it('of the person have texts, files and images, and a data part for a file without a URL', async () => {
    const messages = toUIMessages(
      fold(
        prompt('p', [
          { type: 'text', text: 'Look:' },
          { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'AAAA' } },
          { type: 'image', source: { type: 'url', url: 'https://example.com/a' } },
          { type: 'file', source: { type: 'url', url: 'https://example.com/b' }, name: 'b.bin' },
          { type: 'file', source: { type: 'url', url: './c.txt', mediaType: 'text/plain' }, name: 'c.txt' },
        ]),
        prompt('empty', []),
      ),
    )
    expect(messages[0]?.parts).toEqual([
      { type: 'text', text: 'Look:' },
      { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AAAA' },
      { type: 'file', mediaType: 'image/*', url: 'https://example.com/a' },
      {
        type: 'file',
        mediaType: 'application/octet-stream',
        url: 'https://example.com/b',
        filename: 'b.bin',
      },
      {
        type: 'data-file',
        id: 'p:4',
        data: { source: { type: 'url', url: './c.txt', mediaType: 'text/plain' }, name: 'c.txt' },
      },
    ])
    expect(messages[1]?.parts).toEqual([{ type: 'text', text: '' }])
    await expectValid(messages)
  })
})

describe('texts and thinking', () => {
  it('stream until they are done, with the facts that the AI SDK has no field for', () => {
    expect(
      lastParts(
        upsert({
          id: 'a',
          type: 'thinking',
          status: 'complete',
          content: '',
          redacted: true,
          messageId: 'm',
        }),
        upsert(text('b', { content: 'Hel', messageId: 'm', model: 'big', timestamp: 't' })),
        upsert(text('c', { content: 'cut', status: 'error' })),
      ),
    ).toEqual([
      { type: 'step-start' },
      {
        type: 'reasoning',
        id: 'a',
        text: '',
        state: 'done',
        providerMetadata: { agentfold: { blockId: 'a', messageId: 'm', redacted: true } },
      },
      {
        type: 'text',
        text: 'Hel',
        state: 'streaming',
        providerMetadata: { agentfold: { blockId: 'b', messageId: 'm', model: 'big', timestamp: 't' } },
      },
      {
        type: 'text',
        text: 'cut',
        state: 'done',
        providerMetadata: { agentfold: { blockId: 'c', isError: true } },
      },
    ])
  })
})

describe('a tool call', () => {
  const call = upsert(toolUse('T', { input: { path: 'a' } }))
  const done = upsert(toolUse('T', { input: { path: 'a' }, status: 'complete' }))
  const failed = upsert(toolUse('T', { input: { path: 'a' }, status: 'error' }))
  const approval = { id: 'r', approved: true, reason: 'Fine.' }
  const allowed = request({ status: 'complete', answer: 'once', comment: 'Fine.' })
  const refused = request({ status: 'complete', denied: true })

  it.each([
    [
      'whose input streams',
      [upsert(toolUse('T', { inputText: '{"pa' }))],
      { state: 'input-streaming', rawInput: '{"pa', input: {} },
    ],
    ['whose input has not begun', [upsert(toolUse('T', { inputText: '' }))], { state: 'input-streaming' }],
    ['that runs', [call], { state: 'input-available', input: { path: 'a' } }],
    ['that waits for an approval', [call, request()], { state: 'approval-requested', approval: { id: 'r' } }],
    ['that has its approval', [call, allowed], { state: 'approval-responded', approval }],
    ['whose approval was withdrawn', [call, request({ status: 'complete' })], { state: 'input-available' }],
    ['with a question', [call, request({ kind: 'question' })], { state: 'input-available' }],
    [
      'that was refused',
      [call, refused],
      { state: 'approval-responded', approval: { id: 'r', approved: false } },
    ],
    [
      'that was refused and has ended',
      [failed, refused],
      { state: 'output-denied', approval: { id: 'r', approved: false } },
    ],
    [
      'that was refused and ran all the same',
      [done, refused, result('T')],
      { state: 'output-available', output: 'done' },
    ],
    ['with a result', [done, result('T')], { state: 'output-available', output: 'done' }],
    [
      'with an approval and a result',
      [done, allowed, result('T')],
      { state: 'output-available', output: 'done', approval },
    ],
    ...[failed, done].map(
      (ended) =>
        [
          'that was cut while it ran',
          [ended],
          { state: 'output-error', errorText: 'The call ended without a result.' },
        ] as const,
    ),
    [
      'that was cut off',
      [upsert(toolUse('T', { inputText: 'nonsense', status: 'error' }))],
      { state: 'output-error', input: 'nonsense' },
    ],
    [
      'that failed',
      [failed, result('T', { isError: true, output: 'no' })],
      { state: 'output-error', errorText: 'no' },
    ],
    [
      'that failed with texts',
      [failed, result('T', { isError: true, output: [{ text: 'no' }, 1, {}, { text: 'way' }] })],
      { state: 'output-error', errorText: 'no\nway' },
    ],
    [
      'that failed with a value',
      [failed, result('T', { isError: true, output: { code: 1 } })],
      { state: 'output-error', errorText: '{"code":1}' },
    ],
  ] as const)('%s', async (_, events, expected) => {
    const messages = toUIMessages(fold(...events))
    const [part] = messages[0]?.parts ?? []
    expect(part).toMatchObject({ type: 'dynamic-tool', toolName: 'Read', toolCallId: 'T', ...expected })
    await expectValid(messages)
  })

  it('has the duration, the time and the message of its blocks', () => {
    const [, part] = lastParts(
      upsert(toolUse('T', { messageId: 'm', timestamp: 't' })),
      result('T', { durationMs: 5 }),
    )
    expect(part).toMatchObject({
      callProviderMetadata: { agentfold: { blockId: 'T', messageId: 'm', timestamp: 't' } },
      resultProviderMetadata: { agentfold: { blockId: 'T:result', durationMs: 5 } },
    })
  })

  it('takes a result and an answer that come after the next message of the person', () => {
    const messages = toUIMessages(fold(call, prompt('p'), upsert(text('a')), allowed, result('T')))
    expect(messages[0]?.parts).toMatchObject([{ state: 'output-available', approval }])
    expect(messages[2]?.parts.map(({ type }) => type)).toEqual(['text', 'data-request'])
  })
})

describe('data parts', () => {
  it('hold the blocks for which the AI SDK has no part', () => {
    const blocks = [
      { id: 'r', type: 'request', status: 'pending', kind: 'question', title: 'Which?' },
      { id: 's', type: 'system', status: 'complete', subtype: 'init', message: 'Hello.' },
      { id: 'e', type: 'error', status: 'complete', message: 'No.' },
      { id: 'k', type: 'skill_load', status: 'complete', skillName: 'x', content: 'y' },
      { id: 'u', type: 'user_message', status: 'complete', content: 'z', origin: 'summary' },
      { id: 'x:result', type: 'tool_result', status: 'complete', toolUseId: 'x', output: 1, isError: false },
    ] as const
    const parts = lastParts(...blocks.map((block) => upsert(block)))
    expect(parts).toEqual(
      ['request', 'system', 'error', 'skill-load', 'user-message', 'tool-result'].map((name, at) => ({
        type: `data-${name}`,
        id: blocks[at]?.id,
        data: { conversationId: 'main', ...blocks[at] },
      })),
    )
  })

  it('hold the changes to files, and a result that the part of its call cannot hold', () => {
    const changes = [{ path: 'a', kind: 'add', added: 1, removed: 0 }] as const
    const parts = lastParts(
      upsert(toolUse('T', { status: 'error' })),
      result('T', { isError: true, output: [{ text: 'no' }], changes }),
      upsert(toolUse('U', { status: 'error' })),
      request({ toolUseId: 'U', status: 'complete', denied: true }),
      result('U', { isError: true, output: 'refused' }),
    )
    expect(parts.map((part) => [part.type, 'id' in part ? part.id : undefined])).toEqual([
      ['dynamic-tool', undefined],
      ['data-file-changes', 'T:result'],
      ['data-tool-result', 'T:result'],
      ['dynamic-tool', undefined],
      ['data-request', 'r'],
      ['data-tool-result', 'U:result'],
    ])
    expect(parts[1]).toMatchObject({ data: { toolUseId: 'T', changes } })
  })

  it('hold a second call, and a second result, with the same id', () => {
    const parts = lastParts(
      upsert(toolUse('T')),
      upsert({ ...toolUse('T'), id: 'again' }),
      result('T'),
      result('T', { id: 'second', output: 'more' }),
    )
    expect(parts).toMatchObject([
      { type: 'dynamic-tool', output: 'done' },
      { type: 'data-tool-use', id: 'again' },
      { type: 'data-tool-result', id: 'second', data: { output: 'more' } },
    ])
  })

  it('hold the branches that the person abandoned, at their mark or at the end', () => {
    const mark: IncomingBlock = {
      id: 'mark',
      type: 'system',
      status: 'complete',
      subtype: 'rewind',
      message: '',
    }
    const parts = toUIMessages(
      fold(
        prompt('p1'),
        prompt('p2'),
        upsert(text('a', { content: 'Old.', messageId: 'm' })),
        usage('m', 1),
        usage('stray', 1),
        { type: 'branch:abandoned', branchId: 'mark', blockIds: ['p2', 'a'] },
        upsert(mark),
        prompt('p3'),
        { type: 'branch:abandoned', branchId: 'none', blockIds: ['p3'] },
      ),
    )
    expect(parts).toMatchObject([
      { id: 'p1' },
      {
        id: 'p1:answer',
        parts: [
          { type: 'data-system' },
          {
            type: 'data-branch',
            id: 'mark',
            data: {
              messages: [{ id: 'p2' }, { id: 'p2:answer', metadata: { responses: [{ messageId: 'm' }] } }],
            },
          },
        ],
      },
      {
        id: 'main:unplaced',
        parts: [{ type: 'data-branch', id: 'none', data: { messages: [{ id: 'p3' }] } }],
      },
    ])
  })
})

describe('an agent', () => {
  const started = spawn('S', {
    prompt: 'Look.',
    subagentType: 'explorer',
    agentId: 'a-1',
    description: 'Look around',
  })
  const nested = [
    started,
    upsert({ id: 'S:prompt', type: 'user_message', status: 'complete', content: 'Look.' }, 'S'),
    upsert(text('a', { content: 'I look.' }), 'S'),
    spawn('D', { conversationId: 'S' }),
    upsert(text('b', { content: 'Deep.' }), 'D'),
  ]

  it('is a tool part with its own messages, and those of the agents below it', async () => {
    const messages = toUIMessages(fold(...nested))
    expect(messages[0]?.parts).toMatchObject([
      {
        toolName: 'subagent',
        toolCallId: 'S',
        state: 'output-available',
        preliminary: true,
        input: { name: 'explorer', description: 'Look around', prompt: 'Look.' },
        output: {
          status: 'running',
          agentId: 'a-1',
          messages: [
            { id: 'S:prompt', role: 'user' },
            {
              id: 'S:prompt:answer',
              metadata: { conversationId: 'S' },
              parts: [
                { text: 'I look.' },
                { toolCallId: 'D', output: { messages: [{ id: 'D:answer', parts: [{ text: 'Deep.' }] }] } },
              ],
            },
          ],
        },
      },
    ])
    await expectValid(messages)
  })

  it('keeps its messages in the end, also if it failed', () => {
    const [part] = lastParts(...nested, complete('S', { status: 'error', output: 'No.', durationMs: 3 }))
    expect(part).toMatchObject({
      state: 'output-available',
      output: { status: 'error', output: 'No.', durationMs: 3 },
    })
    expect(part).not.toHaveProperty('preliminary')
    expect(part).toMatchObject({ output: { messages: [{ id: 'S:prompt' }, { id: 'S:prompt:answer' }] } })
  })

  it('waits while it is announced, and for its approval', () => {
    const announced = upsert({ id: 'any', type: 'subagent', status: 'pending', toolUseId: 'S', input: '' })
    expect(lastParts(announced)).toMatchObject([{ state: 'input-streaming', toolCallId: 'S' }])
    expect(lastParts(announced, request({ toolUseId: 'S' }))).toMatchObject([
      { state: 'approval-requested', approval: { id: 'r' } },
      { type: 'data-request' },
    ])
    const allowed = request({ toolUseId: 'S', status: 'complete', answer: 'once' })
    expect(lastParts(announced, allowed, started)).toMatchObject([
      { state: 'approval-responded', approval: { approved: true } },
      {},
    ])
    expect(lastParts(announced, allowed, ...nested)).toMatchObject([
      { state: 'output-available', preliminary: true, approval: { approved: true } },
      {},
    ])
  })

  it('has a message at the end as long as its call is not known', () => {
    const messages = toUIMessages(fold(prompt('p'), upsert(text('a', { content: 'Hm.' }), 'lost')))
    expect(messages).toMatchObject([
      { id: 'p' },
      {
        id: 'main:unplaced',
        role: 'assistant',
        parts: [{ toolName: 'subagent', toolCallId: 'lost', output: { messages: [{ id: 'lost:answer' }] } }],
      },
    ])
  })

  it('has no messages where a forked agent repeats the block of its parent', () => {
    const copy = upsert({ id: 'any', type: 'subagent', status: 'running', toolUseId: 'D', input: 'do' }, 'F')
    const state = fold(...nested, spawn('F'), copy)
    const repeated = state.subagents.find(({ toolUseId }) => toolUseId === 'S')?.blocks.at(-1)
    if (!repeated) throw new Error('the parent has the block')
    const fork = {
      ...state,
      subagents: state.subagents.map((agent) =>
        agent.toolUseId === 'F' ? { ...agent, blocks: [repeated] } : agent,
      ),
    }
    const [answer] = toUIMessages(fork, { conversationId: 'F' })
    expect(answer?.parts).toMatchObject([{ toolCallId: 'D', output: { status: 'running' } }])
    expect(JSON.stringify(answer)).not.toContain('Deep.')
  })

  it('can be asked for alone, under either id', () => {
    const state = fold(...nested)
    expect(toUIMessages(state, { conversationId: 'a-1' })).toEqual(
      toUIMessages(state, { conversationId: 'S' }),
    )
    expect(toUIMessages(state, { conversationId: 'D' })).toMatchObject([{ id: 'D:answer' }])
    expect(() => toUIMessages(state, { conversationId: 'nobody' })).toThrow(
      new RangeError('the state has no conversation "nobody"'),
    )
  })

  it('may be nested to any depth', () => {
    const chain = Array.from({ length: 3000 }, (_, at) =>
      spawn(`${at}`, { conversationId: at === 0 ? 'main' : `${at - 1}` }),
    )
    expect(toUIMessages(fold(...chain), { conversationId: '2998' })).toMatchObject([
      { parts: [{ toolCallId: '2999' }] },
    ])
  })
})
