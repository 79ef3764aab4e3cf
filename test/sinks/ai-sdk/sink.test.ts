import { describe, expect, it } from 'vitest'
import { toUIMessages, type UIMessageUpdate, uiMessageSink } from '../../../src/entries/ai-sdk.ts'
import { type ConversationBlock, reduceSessionEvents, type SessionEvent } from '../../../src/entries/index.ts'
import { checkSink } from '../../../src/entries/testing.ts'
import {
  complete,
  delta,
  fold,
  idle,
  remove,
  running,
  spawn,
  statesOf,
  subagentBlock,
  text,
  toolUse,
  upsert,
  usage,
} from '../../core/reducer/example.ts'
import { readUpdates, throughWire } from './reader.ts'

const prompt = (id: string): SessionEvent =>
  upsert({ id, type: 'user_message', status: 'complete', content: 'Hi.' })
const RESULT = { type: 'tool_result', status: 'complete', toolUseId: 'T', output: 1, isError: false } as const
const result = (id: string): SessionEvent => upsert({ ...RESULT, id: `${id}:result`, toolUseId: id })
const request = (rest: object = {}): SessionEvent =>
  upsert({
    id: 'r',
    type: 'request',
    status: 'pending',
    kind: 'permission',
    title: 't',
    toolUseId: 'T',
    ...rest,
  })

/** Returns the updates of the last event. */
function lastUpdates(...events: readonly SessionEvent[]): readonly UIMessageUpdate[] {
  const states = statesOf(events)
  let memory = uiMessageSink.initial
  let out: readonly UIMessageUpdate[] = []
  for (const state of states) ({ memory, out } = uiMessageSink.translate(memory, state))
  return out
}

/** Returns the types of the chunks, and those of the updates that are no chunks. */
function typesOf(updates: readonly UIMessageUpdate[]): readonly string[] {
  return updates.map((update) => (update.type === 'chunk' ? update.chunk.type : `<${update.type}>`))
}

const checkLaw = (events: readonly SessionEvent[]) =>
  checkSink(uiMessageSink, events, {
    read: (out) => readUpdates(7, out),
    expected: (state) => throughWire<readonly unknown[]>(toUIMessages(state)),
    places: events.length,
  })

describe('the chunks of a change', () => {
  const hello = [prompt('p'), running, upsert(text('a', { content: 'Hel', messageId: 'm' }))]

  it('begin an answer, let it grow and finish it', () => {
    expect(typesOf(lastUpdates(prompt('p')))).toEqual(['<message>'])
    expect(lastUpdates(...hello)).toMatchObject([
      { type: 'chunk', messageId: 'p:answer', chunk: { type: 'start', messageId: 'p:answer' } },
      { chunk: { type: 'start-step' } },
      { chunk: { type: 'text-start', id: 'a' } },
      { chunk: { type: 'text-delta', id: 'a', delta: 'Hel' } },
    ])
    expect(lastUpdates(...hello, delta('a', 'lo'))).toEqual([
      { type: 'chunk', messageId: 'p:answer', chunk: { type: 'text-delta', id: 'a', delta: 'lo' } },
    ])
    expect(typesOf(lastUpdates(...hello, idle()))).toEqual(['text-end', 'finish'])
    expect(
      typesOf(
        lastUpdates(...hello, upsert(text('a', { content: 'Hello', status: 'complete', messageId: 'm' }))),
      ),
    ).toEqual(['text-delta', 'text-end'])
    expect(typesOf(lastUpdates(...hello, usage('m', 1)))).toEqual(['message-metadata'])
  })

  it.each([
    ['finished', 'stop'],
    ['failed', 'error'],
    ['interrupted', 'other'],
  ] as const)('finish an answer that has %s', (outcome, finishReason) => {
    const out = lastUpdates(...hello, { type: 'session:idle', outcome })
    expect(out.at(-1)).toMatchObject({ chunk: { type: 'finish', finishReason } })
  })

  it('finish the answer when the next message of the person comes, or when it is written until then', () => {
    const done = upsert(text('a', { content: 'Hel', messageId: 'm', status: 'complete' }))
    expect(typesOf(lastUpdates(...hello, done, prompt('q')))).toEqual(['<message>', 'finish'])
    expect(typesOf(lastUpdates(...hello, prompt('q')))).toEqual(['<message>'])
    expect(typesOf(lastUpdates(...hello, prompt('q'), done))).toEqual(['text-end', 'finish'])
    const next = upsert(text('n', { content: 'Next' }))
    expect(typesOf(lastUpdates(...hello, prompt('q'), next))).toContain('finish')
    expect(typesOf(lastUpdates(...hello, spawn('T'), idle(), prompt('q')))).toEqual(['<message>'])
    // The answer itself has gone: its id follows from the prompt.
    expect(typesOf(lastUpdates(...hello, remove('p')))).not.toContain('finish')
  })

  it('update a call', () => {
    const streaming = [...hello, upsert(toolUse('T', { inputText: '', messageId: 'm' }))]
    expect(typesOf(lastUpdates(...streaming))).toEqual(['tool-input-start'])
    expect(typesOf(lastUpdates(...streaming, delta('T', '{"a')))).toEqual(['tool-input-delta'])
    const asked = [...streaming, upsert(toolUse('T', { messageId: 'm' })), request()]
    expect(typesOf(lastUpdates(...asked.slice(0, -1)))).toEqual(['tool-input-available'])
    expect(typesOf(lastUpdates(...asked))).toEqual(['tool-approval-request', 'data-request'])
    const allowed = [...asked, request({ status: 'complete', answer: 'once' })]
    expect(typesOf(lastUpdates(...allowed))).toEqual(['tool-approval-response', 'data-request'])
    expect(typesOf(lastUpdates(...allowed, result('T')))).toEqual(['tool-output-available'])
    const refused = [...asked, request({ status: 'complete', denied: true })]
    expect(
      typesOf(lastUpdates(...refused, upsert(toolUse('T', { status: 'error', messageId: 'm' })))),
    ).toContain('tool-output-denied')
  })

  it('replace the output of an agent that grows', () => {
    const agent = [...hello, spawn('S')]
    expect(lastUpdates(...agent, upsert(text('x', { content: 'Deep.' }), 'S'))).toMatchObject([
      { chunk: { type: 'tool-output-available', toolCallId: 'S', preliminary: true } },
    ])
    expect(lastUpdates(...agent, complete('S')).at(-1)).not.toHaveProperty('chunk.preliminary')
  })

  it('begin the message anew where a stream can take nothing back', () => {
    const other = upsert(text('a', { content: 'Bye', messageId: 'm' }))
    expect(typesOf(lastUpdates(...hello, other))[0]).toBe('start')
    expect(typesOf(lastUpdates(...hello, upsert(text('b')), remove('a')))[0]).toBe('start')
    const withdrawn = [...hello, upsert(toolUse('T')), request(), request({ status: 'complete' })]
    expect(typesOf(lastUpdates(...withdrawn))[0]).toBe('start')
  })

  it('say the order where a message has gone', () => {
    expect(lastUpdates(prompt('p'), upsert(text('a')), prompt('q'), remove('q')).at(-1)).toEqual({
      type: 'order',
      messageIds: ['p', 'p:answer'],
    })
  })
})

describe('the law holds', () => {
  const call = (fields: object = {}) => upsert(toolUse('T', { messageId: 'm1', ...fields }))
  const later = upsert(text('later', { messageId: 'm2' }))

  it.each<readonly [string, readonly SessionEvent[]]>([
    ['a call changes its input', [call(), call({ input: { a: 1 } })]],
    ['a call changes its input after the next step', [call(), later, call({ input: { a: 1 } })]],
    [
      'a call changes its name while its input streams',
      [call({ inputText: '' }), call({ inputText: '', toolName: 'Write' })],
    ],
    ['a call streams another input', [call({ inputText: '{"a' }), call({ inputText: '{"b' })]],
    ['a call streams on after the next step', [call({ inputText: '' }), later, delta('T', '{"a')]],
    [
      'a call streams on with another fact',
      [call({ inputText: '' }), call({ inputText: '{', timestamp: 't' })],
    ],
    ['a call loses its result', [call(), result('T'), remove('T:result')]],
    ['a call without a result waits again', [call({ status: 'complete' }), remove('T'), call()]],
    [
      'a call is refused after its end',
      [call({ status: 'error' }), request({ status: 'complete', denied: true })],
    ],
    ['a call has another approval', [call(), request(), request({ id: 'r2' })]],
    [
      'an approval changes',
      [call(), request({ status: 'complete', answer: 'a' }), request({ status: 'complete', denied: true })],
    ],
    ['a request is withdrawn after the result', [call(), request(), result('T'), remove('r')]],
    [
      'a result changes',
      [
        call(),
        result('T'),
        upsert({
          id: 'T:result',
          type: 'tool_result',
          status: 'complete',
          toolUseId: 'T',
          output: 'no',
          isError: true,
        }),
      ],
    ],
    [
      'a failure repeats',
      [
        call(),
        upsert({
          id: 'T:result',
          type: 'tool_result',
          status: 'complete',
          toolUseId: 'T',
          output: 'no',
          isError: true,
        }),
        call({ status: 'error' }),
      ],
    ],
    [
      'a text becomes thinking',
      [upsert(text('a')), remove('a'), upsert({ id: 'a', type: 'thinking', status: 'pending', content: '' })],
    ],
    [
      'a text gets a fact while it streams',
      [
        upsert(text('a')),
        upsert(text('a', { timestamp: 't' })),
        upsert(text('a', { timestamp: 'u', status: 'complete' })),
      ],
    ],
    ['a text grows after its end', [upsert(text('a', { status: 'complete' })), delta('a', 'more')]],
    ['a fact of the message goes', [upsert(text('a', { timestamp: 't' })), upsert(text('a'))]],
    [
      'the plan moves to the next answer',
      [upsert(text('a')), { type: 'todos:updated', todos: [] }, prompt('p'), upsert(text('b'))],
    ],
    ['an announced agent is withdrawn', [upsert(text('a')), subagentBlock('S'), remove('subagent:S')]],
    ['a part takes the place of another kind', [later, call(), remove('later'), prompt('p'), remove('T')]],
    [
      'an agent without a call finds it',
      [upsert(text('x'), 'S'), upsert(text('a')), prompt('p'), spawn('S')],
    ],
    ['a plan without an answer', [prompt('p'), usage('m', 1), { type: 'todos:updated', todos: [] }]],
    [
      'a call and the blocks about it are in different messages',
      [
        upsert(text('a')),
        result('T'),
        prompt('p'),
        later,
        request(),
        prompt('q'),
        call(),
        prompt('r'),
        upsert({ ...RESULT, id: 'second', output: 2 }),
        request({ id: 'r2' }),
        remove('T:result'),
      ],
    ],
    [
      'a message in the middle goes',
      [prompt('p'), upsert(text('a')), prompt('q'), call(), prompt('r'), later, remove('q'), remove('a')],
    ],
    [
      'a branch grows',
      [
        prompt('p'),
        upsert(text('a')),
        { type: 'branch:abandoned', branchId: 'b', blockIds: ['p'] },
        { type: 'branch:abandoned', branchId: 'b', blockIds: ['a'] },
      ],
    ],
    [
      'a branch finds its mark',
      [
        prompt('p'),
        { type: 'branch:abandoned', branchId: 'b', blockIds: ['p'] },
        upsert({ id: 'b', type: 'system', status: 'complete', subtype: 'rewind', message: '' }),
      ],
    ],
  ])('where %s', (_, events) => checkLaw(events))
})

describe('the cost follows the change', () => {
  const events = [
    prompt('p'),
    upsert(text('a', { content: 'One.' })),
    upsert(toolUse('T')),
    spawn('S'),
    upsert(text('x'), 'S'),
    prompt('q'),
    upsert(text('b', { content: 'T' })),
  ]

  it('a known state gives nothing, and the same memory', () => {
    const state = fold(...events)
    const { memory } = uiMessageSink.translate(uiMessageSink.initial, state)
    expect(uiMessageSink.translate(memory, state)).toEqual({ memory, out: [] })
    expect(uiMessageSink.translate(memory, state).memory).toBe(memory)
  })

  it('a delta reads few fields of the other blocks', () => {
    const count = 1_000
    const calls = Array.from({ length: count }, (_, at) => [
      upsert(toolUse(`T${at}`)),
      result(`T${at}`),
    ]).flat()
    const state = fold(...calls, upsert(text('b')))
    let reads = 0
    const counting = (block: ConversationBlock): ConversationBlock =>
      new Proxy(block, {
        get: (target, key) => {
          reads += 1
          return Reflect.get(target, key)
        },
      })
    const before = { ...state, blocks: state.blocks.map(counting) }
    const { memory } = uiMessageSink.translate(uiMessageSink.initial, before)
    const after = {
      ...before,
      blocks: [...before.blocks.slice(0, -1), ...fold(upsert(text('b', { content: '!' }))).blocks],
    }
    reads = 0
    expect(typesOf(uiMessageSink.translate(memory, after).out)).toEqual(['text-delta'])
    expect(reads).toBeLessThan(100)
  })

  it('a memory can go on twice', () => {
    const state = fold(...events)
    const { memory } = uiMessageSink.translate(uiMessageSink.initial, state)
    const next = reduceSessionEvents(state, [result('T'), upsert(text('c', { messageId: 'm' }))])
    const once = uiMessageSink.translate(memory, next)
    uiMessageSink.translate(memory, reduceSessionEvents(state, [remove('T'), upsert(text('d'))]))
    expect(uiMessageSink.translate(memory, next)).toEqual(once)
  })

  it('untouched messages and parts stay the same objects', () => {
    const state = fold(...events)
    const { memory } = uiMessageSink.translate(uiMessageSink.initial, state)
    const next = uiMessageSink.translate(memory, reduceSessionEvents(state, [delta('b', 'wo')]))
    const [before, after] = [memory.view?.main.messages ?? [], next.memory.view?.main.messages ?? []]
    for (const at of [0, 1, 2]) expect(after[at]).toBe(before[at])
    expect(after[3]).not.toBe(before[3])
    const deep = uiMessageSink.translate(memory, reduceSessionEvents(state, [delta('x', '!', 'S')]))
    const parts = deep.memory.view?.main.messages[1]?.parts ?? []
    for (const at of [0, 1]) expect(parts[at]).toBe(before[1]?.parts[at])
    expect(parts[2]).not.toBe(before[1]?.parts[2])
  })
})

describe('end', () => {
  it('finishes the answer that is open', () => {
    const state = fold(prompt('p'), upsert(text('a')))
    const { memory } = uiMessageSink.translate(uiMessageSink.initial, state)
    expect(typesOf(uiMessageSink.end(memory, state).out)).toEqual(['finish'])
    expect(uiMessageSink.end(uiMessageSink.initial, fold()).out).toEqual([])
  })
})
