import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { textsOf } from '../recordings.ts'
import { answer, event, main, numbered, question, read, toText } from './messages.ts'
import { replay } from './recordings.ts'

const ours = [...question, ...answer]
const alone = read(...ours).state

describe('an event of a type that is not known', () => {
  it('is counted, with its type, and all else is read', () => {
    const tea = main.event('tea.break', { strength: 3 })
    const { state, issues } = read(...question, tea, event('tea.break', {}), ...answer, event('coffee', {}))
    expect(state).toEqual(alone)
    expect(issues).toEqual([
      { code: 'unknown-message', count: 2, messageType: 'tea.break', line: 4 },
      { code: 'unknown-message', count: 1, messageType: 'coffee', line: 10 },
    ])
  })

  it.each([null, 7, 'text', [], [{}], {}, { type: 7 }, { payload: {} }])(
    'may be no event at all: %j',
    (odd) => {
      const { state, issues } = replay(`${toText(numbered(ours))}${JSON.stringify(odd)}\n`)
      expect(state).toEqual(alone)
      expect(issues).toMatchObject([{ code: 'unknown-message', count: 1, line: ours.length + 1 }])
    },
  )

  it.each(['__proto__', 'constructor', 'toString', ''])('may be %j', (type) => {
    const { state, issues } = read(...ours, main.event(type))
    expect(state).toEqual(alone)
    expect(issues).toMatchObject([{ code: 'unknown-message', messageType: type }])
  })
})

describe('a part of a type that is not known', () => {
  it('is counted, with whose it is, and all else is read', () => {
    const { state, issues } = read(
      ...question,
      main.part('msg_01', { id: 'prt_t', type: 'tea' }),
      main.part('msg_90', { id: 'prt_u', type: 'tea' }),
      main.part('msg_90', { id: 'prt_v', type: 'tea' }),
      main.part('msg_90', { id: 'prt_w' }),
      ...answer,
    )
    expect(state).toEqual(alone)
    expect(issues.map(({ messageType, count }) => [messageType, count])).toEqual([
      ['user/tea', 1],
      ['assistant/tea', 2],
      ['assistant/untyped', 1],
    ])
    expect(new Set(issues.map(({ code }) => code))).toEqual(new Set(['unknown-block']))
  })

  it('may grow: a delta of another field than text is counted', () => {
    const { state, issues } = read(
      ...question,
      main.begun('msg_90'),
      main.saying('msg_90', 'prt_90', 'Ans'),
      main.delta('msg_90', 'prt_90', '{"a":', 'input'),
      main.delta('msg_90', 'prt_90', 7),
      main.delta('msg_90', 'prt_90', 'wer'),
    )
    expect(textsOf(state)).toEqual(['Answer'])
    expect(issues).toMatchObject([
      { code: 'unknown-block', messageType: 'delta/input', count: 1 },
      { code: 'unknown-block', count: 1 },
    ])
  })
})

describe('what the program keeps for itself', () => {
  it.each([
    'server.connected',
    'server.heartbeat',
    'plugin.added',
    'file.edited',
    'file.watcher.updated',
    'todo.updated',
    'session.diff',
    'session.compacted',
    'lsp.updated',
    'catalog.updated',
    'integration.updated',
    'reference.updated',
  ])('is passed over in silence: %s', (type) => {
    const { state, issues } = read(
      event(type, {}),
      ...ours,
      main.event(type),
      main.event(type, { info: null }),
    )
    expect(state).toEqual(alone)
    expect(issues).toEqual([])
  })

  it('is passed over in messages too', () => {
    const { state, issues } = read(
      ...question,
      main.begun('msg_90'),
      main.part('msg_90', { id: 'prt_s', type: 'snapshot', snapshot: 'abc' }),
      main.part('msg_90', { id: 'prt_t', type: 'patch', files: [] }),
      ...answer,
    )
    expect(state).toEqual(alone)
    expect(issues).toEqual([])
  })
})

describe('a line that is no JSON', () => {
  it('is an issue with its number, and the rest is read', () => {
    const [first, ...others] = toText(numbered(ours)).split('\n')
    const { state, issues } = replay([first, '{"cut', ...others.slice(0, -1), 'rties":{}}'].join('\n'))
    expect(state).toEqual(alone)
    expect(issues).toEqual([
      { code: 'malformed-line', count: 1, line: 2 },
      { code: 'malformed-line', count: 1, line: ours.length + 2 },
    ])
  })
})

describe('known events with other values than expected', () => {
  const types = [
    ...['created', 'updated', 'status', 'idle', 'error'].map((name) => `session.${name}`),
    ...['updated', 'removed', 'part.updated', 'part.delta', 'part.removed'].map((name) => `message.${name}`),
    ...['permission.asked', 'permission.updated', 'permission.replied'],
    ...['question.asked', 'question.replied', 'question.rejected'],
  ]
  const json = fc.jsonValue({ maxDepth: 2 })
  const keys = ['info', 'part', 'status', 'error', 'messageID', 'partID', 'field', 'delta', 'id', 'questions']
  const properties = fc.dictionary(fc.constantFrom(...keys), json)
  const part = fc.record({
    id: fc.constantFrom('prt_90', 'prt_01', 7),
    messageID: fc.constantFrom('msg_90', 'msg_01', null),
    type: fc.constantFrom(
      'text',
      'reasoning',
      'tool',
      'file',
      'step-start',
      'step-finish',
      'compaction',
      'retry',
    ),
    tool: fc.constantFrom('task', 'bash', 'invalid', 7),
    state: fc.dictionary(
      fc.constantFrom('status', 'input', 'output', 'metadata', 'time', 'attachments'),
      json,
    ),
    time: json,
    text: json,
    tokens: json,
    cost: json,
    error: json,
  })

  it('are read as far as they go', () => {
    const odd = fc.oneof(
      fc.record({ type: fc.constantFrom(...types), properties }),
      fc.record({ type: fc.constant('message.part.updated'), properties: fc.record({ part }) }),
    )
    fc.assert(
      fc.property(fc.array(odd, { maxLength: 12 }), (events) => {
        const { reducerIssues } = read(
          ...ours,
          ...events.map(({ type, properties }) => main.event(type, properties)),
        )
        expect(reducerIssues.map(({ code }) => code)).not.toContain('unknown-event')
      }),
      { numRuns: 50 },
    )
  })
})
