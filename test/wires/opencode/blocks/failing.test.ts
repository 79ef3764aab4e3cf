import { describe, expect, it } from 'vitest'
import { opencodeSource } from '../../../../src/entries/opencode.ts'
import { notesOf, ofType, textsOf } from '../../recordings.ts'
import { answer, idleEvents, main, prompt, readEvents, tokens, withEventIds } from '../messages.ts'
import { readBoth } from '../stored.ts'

const REFUSED = { name: 'APIError', data: { message: 'refused', statusCode: 400 } }

describe('a failed turn', () => {
  it('shows the error of its message once, with its code', () => {
    const { state, ending } = readBoth(
      ...prompt,
      main.assistantStart('msg_2'),
      main.failed(REFUSED),
      main.assistantEnd('msg_2', { finish: undefined, error: REFUSED }),
      ...idleEvents(),
    )
    expect(ofType(state, 'error')).toMatchObject([
      { id: 'msg_2:error', message: 'refused', code: 'APIError', status: 'error' },
    ])
    expect(notesOf(state, 'interruption')).toEqual([])
    expect(ending).toBe('finished')
  })

  it('shows the error before its message reports it', () => {
    const { state } = readEvents(...prompt, main.assistantStart('msg_2'), main.failed(REFUSED))
    expect(ofType(state, 'error')).toMatchObject([{ id: 'msg_2:error', message: 'refused' }])
  })

  it('shows an error without an assistant message under the id of the event', () => {
    const wrong = { name: 'UnknownError', data: { message: 'Model not found: a/b.' } }
    const { state, ending } = readEvents(...prompt, { id: 'evt_wrong', ...main.failed(wrong) }, main.idle())
    expect(ofType(state, 'error')).toMatchObject([
      { id: 'evt_wrong', message: 'Model not found: a/b.', code: 'UnknownError' },
    ])
    expect(ending).toBe('finished')
  })

  it('shows an error that has no text', () => {
    const { state } = readEvents(
      ...prompt,
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

it('starts no turn with the text of a broken attempt, which has no end', () => {
  const { state } = readBoth(
    ...prompt,
    main.assistantStart('msg_2'),
    main.stepStart('msg_2', 'prt_1'),
    main.textStart('msg_2', 'prt_2'),
    main.stepStart('msg_2', 'prt_3'),
    main.wholeText('msg_2', 'prt_4', 'Done.'),
    main.assistantEnd('msg_2', { tokens: tokens(5, 3) }),
    ...idleEvents(),
  )
  const part = main.textStart('msg_2', 'prt_2')
  const again = opencodeSource.read(opencodeSource.open(state), withEventIds([part])).session
  expect(again.state.turn.status).toBe('finished')
})

describe('a repeated request', () => {
  const retry = (attempt: number) =>
    main.status({ type: 'retry', attempt, message: 'Overloaded', next: 9000 + attempt })

  it('is a retry block for every attempt', () => {
    const { state, ending } = readBoth(
      ...prompt,
      main.assistantStart('msg_90'),
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

  it('is a retry block for every attempt, even if the events have no ids', () => {
    const bare = [1, 2].map((attempt) => ({ ...retry(attempt), id: undefined }))
    expect(notesOf(readEvents(...prompt, ...bare).state, 'retry')).toHaveLength(2)
  })

  it('is a retry block if other versions report it as a part of the message', () => {
    const part = { id: 'prt_r', type: 'retry', attempt: 2, error: REFUSED, time: { created: 5000 } }
    const { state } = readEvents(
      ...prompt,
      main.assistantStart('msg_90'),
      main.part('msg_90', part),
      ...answer,
    )
    expect(notesOf(state, 'retry')).toMatchObject([
      { id: 'prt_r', message: 'refused', data: { attempt: 2 }, timestamp: '1970-01-01T00:00:05.000Z' },
    ])
  })
})

describe('an answer after a dropped connection', () => {
  // The retry is a second step of the same message. No event retracts the text of the first step.
  const first = [
    ...prompt,
    main.assistantStart('msg_2'),
    main.stepStart('msg_2', 'prt_1'),
    main.part('msg_2', { id: 'prt_2', type: 'reasoning', text: '', time: { start: 1 } }),
    main.delta('msg_2', 'prt_2', 'I thi'),
    main.textStart('msg_2', 'prt_3'),
    main.delta('msg_2', 'prt_3', 'This message will be cut in the midd'),
  ]
  const second = [
    main.stepStart('msg_2', 'prt_4'),
    main.textStart('msg_2', 'prt_5'),
    main.delta('msg_2', 'prt_5', 'The whole'),
    main.wholeText('msg_2', 'prt_5', 'The whole message.'),
    main.stepFinish('msg_2', 'prt_6'),
    main.assistantEnd('msg_2'),
    ...idleEvents(),
  ]

  it('is shown once, with the text of the retry', () => {
    const { state, ending } = readBoth(...first, main.status({ type: 'retry', attempt: 1 }), ...second)
    expect(textsOf(state)).toEqual(['The whole message.'])
    expect(ofType(state, 'thinking')).toEqual([])
    expect(ending).toBe('finished')
  })

  it('keeps the parts that were finished before the connection dropped', () => {
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

  it('keeps all finished steps of a message', () => {
    const { state } = readBoth(
      ...prompt,
      main.assistantStart('msg_2'),
      main.stepStart('msg_2', 'prt_1'),
      main.wholeText('msg_2', 'prt_2', 'First.'),
      main.stepFinish('msg_2', 'prt_3', { reason: 'tool-calls' }),
      main.stepStart('msg_2', 'prt_4'),
      main.wholeText('msg_2', 'prt_5', 'Second.'),
      main.stepFinish('msg_2', 'prt_6'),
      main.assistantEnd('msg_2'),
    )
    expect(textsOf(state)).toEqual(['First.', 'Second.'])
  })

  it('is final with the partial text if no retry follows', () => {
    const { state } = readEvents(...first, main.assistantEnd('msg_2', { error: REFUSED }))
    expect(state.blocks.slice(1)).toMatchObject([
      { type: 'thinking', content: 'I thi', status: 'complete' },
      { type: 'assistant_text', content: 'This message will be cut in the midd', status: 'complete' },
      { type: 'error' },
    ])
  })
})
