import { describe, expect, it } from 'vitest'
import { notesOf, ofType, textsOf } from '../recordings.ts'
import {
  answer,
  asked,
  child,
  completed,
  failed,
  type Message,
  main,
  pending,
  question,
  read,
  running,
} from './messages.ts'
import { readBoth } from './stored.ts'

const ABORTED = { name: 'MessageAbortedError', data: { message: 'Aborted' } }
const REFUSED = { name: 'APIError', data: { message: 'refused', statusCode: 400 } }
const stopped = (id: string, session = main) => session.completed(id, { finish: undefined, error: ABORTED })
const atRest = (session = main) => [session.status({ type: 'idle' }), session.idle()]

describe('a session that the person stops', () => {
  // The program is at rest before it tells the last of what it had, and then once more.
  const aborted = [
    ...question,
    main.begun('msg_2'),
    main.stepStart('msg_2', 'prt_1'),
    main.saying('msg_2', 'prt_2'),
    main.delta('msg_2', 'prt_2', 'This is '),
    main.delta('msg_2', 'prt_2', 'cut'),
    main.failed(ABORTED),
    ...atRest(),
    main.delta('msg_2', 'prt_2', ' of'),
    main.said('msg_2', 'prt_2', 'This is cut of'),
    stopped('msg_2'),
    ...atRest(),
  ]

  it('keeps what was said, and is interrupted once', () => {
    const { state, ending } = readBoth(...aborted)
    expect(textsOf(state)).toEqual(['This is cut of'])
    expect(notesOf(state, 'interruption')).toEqual([
      {
        type: 'system',
        id: 'msg_2:error',
        conversationId: 'main',
        status: 'complete',
        subtype: 'interruption',
        message: 'Aborted',
        timestamp: '1970-01-01T00:00:03.000Z',
      },
    ])
    expect(ofType(state, 'error')).toEqual([])
    expect(ending).toBe('interrupted')
  })

  it('has the words that come after it was at rest', () => {
    const late = aborted.slice(0, 12)
    expect(JSON.stringify(late.at(-1))).toContain('" of"')
    expect(textsOf(read(...late).state)).toEqual(['This is cut of'])
  })

  it('goes on with the next prompt', () => {
    const { state, ending } = readBoth(
      ...aborted,
      main.user('msg_3'),
      main.told('msg_3', 'prt_3', 'Again.'),
      ...answer,
    )
    expect(textsOf(state)).toEqual(['This is cut of', 'Answer.'])
    expect(ending).toBe('finished')
  })

  it('has the end of the command that ran', () => {
    const output = 'one\n\n<shell_metadata>\nUser aborted the command\n</shell_metadata>'
    const { state, ending } = readBoth(
      ...question,
      main.begun('msg_2'),
      main.tool('msg_2', 'prt_2', pending),
      main.tool('msg_2', 'prt_2', running({ metadata: { output: 'one\n' } })),
      main.failed(ABORTED),
      ...atRest(),
      main.tool('msg_2', 'prt_2', completed(output)),
      stopped('msg_2'),
      ...atRest(),
    )
    expect(state.blocks.slice(1)).toMatchObject([
      { type: 'tool_use', status: 'complete' },
      { type: 'tool_result', status: 'complete', output },
      { type: 'system', subtype: 'interruption' },
    ])
    expect(ending).toBe('interrupted')
  })

  it('ends the subagent that ran, and keeps what that had said', () => {
    const call = (state: Message) => main.task('msg_2', 'call-1', state)
    const interrupted = asked(child.id, {}, { interrupted: true })
    const { state, issues, ending } = readBoth(
      ...question,
      main.begun('msg_2'),
      call(pending),
      child.created(),
      call(running(asked(child.id))),
      child.user('c_1'),
      child.told('c_1', 'c_p1', 'Look closely.'),
      child.begun('c_2'),
      child.saying('c_2', 'c_p2'),
      child.delta('c_2', 'c_p2', 'I am lo'),
      child.failed(ABORTED),
      main.failed(ABORTED),
      ...atRest(),
      call(failed('Tool execution aborted', interrupted)),
      stopped('msg_2'),
      child.said('c_2', 'c_p2', 'I am lo'),
      stopped('c_2', child),
      ...atRest(child),
      ...atRest(),
    )
    expect(state.subagents).toMatchObject([
      { toolUseId: 'call-1', status: 'error', output: 'Tool execution aborted' },
    ])
    expect(state.subagents.map((subagent) => textsOf(subagent))).toEqual([['I am lo']])
    expect(state.subagents.map((subagent) => notesOf(subagent, 'interruption').length)).toEqual([1])
    expect(notesOf(state, 'interruption')).toHaveLength(1)
    expect(issues).toEqual([])
    expect(ending).toBe('interrupted')
  })
})

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
