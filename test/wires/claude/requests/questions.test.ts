import { describe, expect, it } from 'vitest'
import { pendingRequests, type RequestAnswer, sessionStatus } from '../../../../src/entries/index.ts'
import { claudeSource } from '../../../../src/wires/claude/source.ts'
import { publicRecordings } from '../../public/recording.ts'
import { ofType, replay } from '../../recordings.ts'
import {
  assistantMessage,
  init,
  type Message,
  readFiles,
  readOpenStream,
  toolResult,
  toolUse,
  userMessage,
} from '../messages.ts'
import {
  ACCEPTED,
  call as callOfTool,
  canUseTool,
  clientAnswer,
  decidedResult,
  REFUSAL,
  REJECTED,
  stopped,
} from './messages.ts'

const option = (label: string, description?: string) => ({ label, ...(description && { description }) })
const COLOUR = {
  question: 'Which colour?',
  header: 'Colour',
  options: [option('Teal', 'Blue green'), option('Red')],
  multiSelect: false,
}
const SIZES = {
  question: 'Which sizes?',
  header: 'Sizes',
  options: [option('Small'), option('Small, for children'), option('Large')],
  multiSelect: true,
}

const input = (...questions: readonly Message[]) => ({ questions })
const ask = (...questions: readonly Message[]) => [
  assistantMessage('m1', toolUse('t1', 'AskUserQuestion', input(...questions))),
  canUseTool('r1', 't1', {
    ...{ tool_name: 'AskUserQuestion', display_name: 'AskUserQuestion', description: undefined },
    ...{ input: input(...questions), requires_user_interaction: true },
  }),
]
const answers = (record: Message, fields: Message = {}) =>
  decidedResult('t1', 'Your questions have been answered.', ACCEPTED, {
    ...{ tool_use_result: record, toolUseResult: record },
    ...fields,
  })
const requestIn = (...messages: readonly Message[]) => {
  const [request] = ofType(readOpenStream(init, ...messages).state, 'request')
  return request
}
const storedIn = (...messages: readonly Message[]) =>
  ofType(readFiles(messages.filter(({ type }) => type !== 'control_request')).state, 'request')[0]

describe('a question to the person', () => {
  it('has its options, and its text as the title', () => {
    expect(requestIn(...ask(COLOUR))).toMatchObject({
      kind: 'question',
      title: 'Which colour?',
      status: 'pending',
      options: [
        { id: 'Teal', label: 'Teal', description: 'Blue green' },
        { id: 'Red', label: 'Red' },
      ],
      questions: [{ text: 'Which colour?' }],
      data: { requires_user_interaction: true },
    })
  })

  it('is one of several, with options of their own', () => {
    const request = requestIn(...ask(COLOUR, SIZES))
    expect(request).toMatchObject({ title: 'Which colour?', questions: [{}, { multiple: true }] })
    expect(request).not.toHaveProperty('options')
    expect(request?.questions?.[0]).not.toHaveProperty('multiple')
  })

  it.each<readonly [string, Message, RequestAnswer]>([
    ['a label', { 'Which colour?': 'Teal' }, [['Teal'], []]],
    ['a free text', { 'Which colour?': 'None, please' }, [['None, please'], []]],
    ['several labels', { 'Which sizes?': 'Small, Large' }, [[], ['Small', 'Large']]],
    [
      'labels with commas',
      { 'Which sizes?': 'Small, for children, Small' },
      [[], ['Small, for children', 'Small']],
    ],
    ['labels and a free text', { 'Which sizes?': 'Large, or both' }, [[], ['Large', 'or both']]],
    ['a list', { 'Which sizes?': ['Small', 'Large'] }, [[], ['Small', 'Large']]],
    ['nothing', {}, [[], []]],
  ])('is answered by %s', (_, given, expected) => {
    const messages = [...ask(COLOUR, SIZES), answers({ answers: given })]
    expect(requestIn(...messages)).toMatchObject({ status: 'complete', answer: expected })
    expect(storedIn(...messages)).toMatchObject({ id: 't1:request', status: 'complete', answer: expected })
  })

  it('has the notes of the person, unless they are the answer', () => {
    const record = (notes: string) => ({
      answers: { 'Which colour?': 'Teal' },
      annotations: { 'Which colour?': { notes } },
    })
    expect(requestIn(...ask(COLOUR), answers(record('Light!')))?.comment).toBe('Light!')
    expect(requestIn(...ask(COLOUR), answers(record('Teal')))).not.toHaveProperty('comment')
  })

  it('may be refused', () => {
    const messages = [...ask(COLOUR), decidedResult('t1', 'Not now.', REJECTED)]
    for (const request of [requestIn(...messages), storedIn(...messages)])
      expect(request).toMatchObject({ kind: 'question', answer: 'deny', denied: true, comment: 'Not now.' })
  })

  it('is answered by the client', () => {
    const updatedInput = { ...input(COLOUR), answers: { 'Which colour?': 'Red' } }
    const request = requestIn(...ask(COLOUR), clientAnswer('r1', { behavior: 'allow', updatedInput }))
    expect(request).toMatchObject({ status: 'complete', answer: [['Red']] })
    expect(request?.data).toEqual({ requires_user_interaction: true })
  })

  // Versions up to 2.1.237 do not state the decision, but the answers prove it.
  it('is in a file of an older version', () => {
    const [call] = ask(COLOUR)
    const record = { answers: { 'Which colour?': 'Teal' } }
    const result = toolResult('t1', 'Answered.', { toolUseResult: record })
    expect(storedIn(call ?? {}, result)).toMatchObject({ answer: [['Teal']] })
  })
})

it('reads the answers of a public recording: labels, several labels and free texts', () => {
  const session = publicRecordings('claude-code').find(({ name }) => name.includes('04-background-stopped'))
  const { state } = replay(session?.raw ?? '')
  const asked = ofType(state, 'request')
  expect(asked.filter(({ kind }) => kind === 'question').length).toBeGreaterThanOrEqual(22)
  expect(pendingRequests(state)).toEqual([])
  expect(asked[0]?.answer).toEqual([
    [
      ...['Lompqmnkfx ipdr', 'Vsrcqey XD & lokkedywhndj'],
      ...['Uqhjiupaks & nuc uahwoedv', 'Syilljbekav pwmjj'],
    ],
  ])
})

describe('a question in a file', () => {
  const [call, request] = ask(COLOUR)
  if (!call || !request) throw new RangeError('no call')
  const open = readFiles([userMessage('Go.'), call])

  it('waits until it has an answer, after the end of the input too', () => {
    expect(open.state.blocks.at(-1)).toMatchObject({ type: 'request', kind: 'question', status: 'pending' })
    expect([sessionStatus(open.state), open.ending]).toEqual(['waiting', 'open'])
    expect(open.issues).toEqual([])
  })

  it('is withdrawn by the stop of the turn, without an answer', () => {
    const refused = toolResult('t1', REFUSAL, {}, { is_error: true })
    const { state } = readFiles([userMessage('Go.'), call, refused, stopped])
    const [withdrawn] = ofType(state, 'request')
    expect(withdrawn).toMatchObject({ status: 'complete' })
    expect(withdrawn).not.toHaveProperty('answer')
    expect(sessionStatus(state)).toBe('interrupted')
  })

  it('has the words of a person who refuses it', () => {
    const words = `${REFUSAL} To tell you how to proceed, the user said:\nAsk later.`
    const { state } = readFiles([userMessage('Go.'), call, toolResult('t1', words, {}, { is_error: true })])
    expect(ofType(state, 'request')).toMatchObject([{ answer: 'deny', denied: true, comment: 'Ask later.' }])
  })

  it('was none if the call has failed before', () => {
    const failed = toolResult(
      't1',
      '<tool_use_error>InputValidationError</tool_use_error>',
      {},
      { is_error: true },
    )
    expect(ofType(readFiles([userMessage('Go.'), call, failed]).state, 'request')).toEqual([])
  })

  it('gets the id of the program after a reopening', () => {
    const joined = claudeSource.read(claudeSource.open(open.state), [request]).session.state
    expect(ofType(joined, 'request')).toMatchObject([{ id: 'r1', status: 'pending' }])
    expect(sessionStatus(joined)).toBe('waiting')
  })
})

it('asks a permission after a reopening', () => {
  const { state } = readFiles([userMessage('Go.'), callOfTool()])
  const joined = claudeSource.read(claudeSource.open(state), [canUseTool('r1')]).session.state
  expect(ofType(joined, 'request')).toMatchObject([{ id: 'r1', status: 'pending', toolUseId: 't1' }])
  expect(sessionStatus(joined)).toBe('waiting')
})
