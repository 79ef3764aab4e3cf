import { describe, expect, it } from 'vitest'
import { opencodeSource } from '../../../../src/entries/opencode.ts'
import { notesOf, ofType, textsOf } from '../../recordings.ts'
import { answer, idleEvents, main, prompt, readEvents, tokens, withEventIds } from '../messages.ts'
import { readBoth } from '../stored.ts'

const REFUSED = { name: 'APIError', data: { message: 'refused', statusCode: 400 } }

describe('a failed turn', () => {
  it('shows the error before its message reports it', () => {
    const { state } = readEvents(...prompt, main.assistantStart('msg_2'), main.failed(REFUSED))
    expect(ofType(state, 'error')).toMatchObject([{ id: 'msg_2:error', message: 'refused' }])
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

it('a repeated request is a retry block if other versions report it as a part of the message', () => {
  const part = { id: 'prt_r', type: 'retry', attempt: 2, error: REFUSED, time: { created: 5000 } }
  const { state } = readEvents(...prompt, main.assistantStart('msg_90'), main.part('msg_90', part), ...answer)
  expect(notesOf(state, 'retry')).toMatchObject([
    { id: 'prt_r', message: 'refused', data: { attempt: 2 }, timestamp: '1970-01-01T00:00:05.000Z' },
  ])
})

it('an answer after a dropped connection keeps the parts that were finished before the connection dropped', () => {
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
