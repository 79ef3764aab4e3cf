import { describe, expect, it } from 'vitest'
import { notesOf, ofType, textsOf } from '../recordings.ts'
import { answer, atRest, main, question, read } from './messages.ts'
import { readBoth } from './stored.ts'

const REFUSED = { name: 'APIError', data: { message: 'refused', statusCode: 400 } }

describe('a turn that fails', () => {
  it('has the error of its message once, with its name', () => {
    const { state, ending } = readBoth(
      ...question,
      main.begun('msg_2'),
      main.failed(REFUSED),
      main.completed('msg_2', { finish: undefined, error: REFUSED }),
      ...atRest(),
    )
    expect(ofType(state, 'error')).toMatchObject([
      { id: 'msg_2:error', message: 'refused', code: 'APIError', status: 'error' },
    ])
    expect(notesOf(state, 'interruption')).toEqual([])
    expect(ending).toBe('finished')
  })

  it('has the error before its message tells it', () => {
    const { state } = read(...question, main.begun('msg_2'), main.failed(REFUSED))
    expect(ofType(state, 'error')).toMatchObject([{ id: 'msg_2:error', message: 'refused' }])
  })

  it('without a message of the model has the error under the id of the event', () => {
    const wrong = { name: 'UnknownError', data: { message: 'Model not found: a/b.' } }
    const { state, ending } = read(...question, { id: 'evt_wrong', ...main.failed(wrong) }, main.idle())
    expect(ofType(state, 'error')).toMatchObject([
      { id: 'evt_wrong', message: 'Model not found: a/b.', code: 'UnknownError' },
    ])
    expect(ending).toBe('finished')
  })

  it('has an error without a message too', () => {
    const { state } = read(
      ...question,
      main.failed({ name: 'Odd' }),
      main.failed({}),
      main.failed({ data: 7 }),
    )
    expect(ofType(state, 'error')).toMatchObject([
      { message: 'Odd', code: 'Odd' },
      { message: 'the turn failed' },
      { message: 'the turn failed' },
    ])
  })
})

describe('a request that is made again', () => {
  const retry = (attempt: number) =>
    main.status({ type: 'retry', attempt, message: 'Overloaded', next: 9000 + attempt })

  it('is noted for every try', () => {
    const { state, ending } = readBoth(
      ...question,
      main.begun('msg_90'),
      retry(1),
      main.status({ type: 'busy' }),
      retry(2),
      ...answer,
    )
    expect(notesOf(state, 'retry')).toMatchObject([
      { message: 'Overloaded', status: 'complete', data: { attempt: 1, next: 9001 } },
      { message: 'Overloaded', status: 'complete', data: { attempt: 2, next: 9002 } },
    ])
    expect(ending).toBe('finished')
  })

  it('is noted for every try by programs whose events have no ids', () => {
    const bare = [1, 2].map((attempt) => ({ ...retry(attempt), id: undefined }))
    expect(notesOf(read(...question, ...bare).state, 'retry')).toHaveLength(2)
  })

  it('is noted by a part of the message in other versions', () => {
    const part = { id: 'prt_r', type: 'retry', attempt: 2, error: REFUSED, time: { created: 5000 } }
    const { state } = read(...question, main.begun('msg_90'), main.part('msg_90', part), ...answer)
    expect(notesOf(state, 'retry')).toMatchObject([
      { id: 'prt_r', message: 'refused', data: { attempt: 2 }, timestamp: '1970-01-01T00:00:05.000Z' },
    ])
  })
})

describe('an answer whose connection dropped', () => {
  // The second try is a step of the same message; nothing tells that the first one’s text is void.
  const first = [
    ...question,
    main.begun('msg_2'),
    main.stepStart('msg_2', 'prt_1'),
    main.part('msg_2', { id: 'prt_2', type: 'reasoning', text: '', time: { start: 1 } }),
    main.delta('msg_2', 'prt_2', 'I thi'),
    main.saying('msg_2', 'prt_3'),
    main.delta('msg_2', 'prt_3', 'This message will be cut in the midd'),
  ]
  const second = [
    main.stepStart('msg_2', 'prt_4'),
    main.saying('msg_2', 'prt_5'),
    main.delta('msg_2', 'prt_5', 'The whole'),
    main.said('msg_2', 'prt_5', 'The whole message.'),
    main.stepFinish('msg_2', 'prt_6'),
    main.completed('msg_2'),
    ...atRest(),
  ]

  it('is there once, as its second try says it', () => {
    const { state, ending } = readBoth(...first, main.status({ type: 'retry', attempt: 1 }), ...second)
    expect(textsOf(state)).toEqual(['The whole message.'])
    expect(ofType(state, 'thinking')).toEqual([])
    expect(ending).toBe('finished')
  })

  it('keeps what was finished before the connection dropped', () => {
    const thought = main.part('msg_2', {
      id: 'prt_2',
      type: 'reasoning',
      text: 'I think.',
      time: { start: 1, end: 2 },
    })
    const { state } = readBoth(...first.slice(0, 6), thought, ...first.slice(6), ...second)
    expect(ofType(state, 'thinking')).toMatchObject([{ content: 'I think.' }])
    expect(textsOf(state)).toEqual(['The whole message.'])
  })

  it('keeps all steps of a message that are whole', () => {
    const { state } = readBoth(
      ...question,
      main.begun('msg_2'),
      main.stepStart('msg_2', 'prt_1'),
      main.said('msg_2', 'prt_2', 'First.'),
      main.stepFinish('msg_2', 'prt_3', { reason: 'tool-calls' }),
      main.stepStart('msg_2', 'prt_4'),
      main.said('msg_2', 'prt_5', 'Second.'),
      main.stepFinish('msg_2', 'prt_6'),
      main.completed('msg_2'),
    )
    expect(textsOf(state)).toEqual(['First.', 'Second.'])
  })

  it('is final with what there was, where no second try came', () => {
    const { state } = read(...first, main.completed('msg_2', { error: REFUSED }))
    expect(state.blocks.slice(1)).toMatchObject([
      { type: 'thinking', content: 'I thi', status: 'complete' },
      { type: 'assistant_text', content: 'This message will be cut in the midd', status: 'complete' },
      { type: 'error' },
    ])
  })
})
