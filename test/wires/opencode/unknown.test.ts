import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../depth.ts'
import { textsOf } from '../recordings.ts'
import { answer, main, prompt, readEvents, toLines, withEventIds } from './messages.ts'
import { replay } from './recordings.ts'

const ours = [...prompt, ...answer]
const alone = readEvents(...ours).state

describe('a part of an unknown type', () => {
  it('is counted by its type and role, and the rest is read', () => {
    const { state, issues } = readEvents(
      ...prompt,
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

  it('is counted too if a delta extends another field than `text`', () => {
    const { state, issues } = readEvents(
      ...prompt,
      main.assistantStart('msg_90'),
      main.textStart('msg_90', 'prt_90', 'Ans'),
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

it('an ignored type gives none as a part of a message either', () => {
  const { state, issues } = readEvents(
    ...prompt,
    main.assistantStart('msg_90'),
    main.part('msg_90', { id: 'prt_s', type: 'snapshot', snapshot: 'abc' }),
    main.part('msg_90', { id: 'prt_t', type: 'patch', files: [] }),
    ...answer,
  )
  expect(state).toEqual(alone)
  expect(issues).toEqual([])
})

it('a line of invalid JSON is an issue with its number, and the rest is read', () => {
  const [first, ...others] = toLines(withEventIds(ours)).split('\n')
  const { state, issues } = replay([first, '{"cut', ...others.slice(0, -1), 'rties":{}}'].join('\n'))
  expect(state).toEqual(alone)
  expect(issues).toEqual([{ code: 'malformed-line', count: 2, line: 2 }])
})

it('known events with unexpected values are read as far as possible', () => {
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
  const odd = fc.oneof(
    fc.record({ type: fc.constantFrom(...types), properties }),
    fc.record({ type: fc.constant('message.part.updated'), properties: fc.record({ part }) }),
  )
  fc.assert(
    fc.property(fc.array(odd, { maxLength: 12 }), (events) => {
      const { reducerIssues } = readEvents(
        ...ours,
        ...events.map(({ type, properties }) => main.event(type, properties)),
      )
      expect(reducerIssues.map(({ code }) => code)).not.toContain('unknown-event')
    }),
    { numRuns: runs(50) },
  )
})
