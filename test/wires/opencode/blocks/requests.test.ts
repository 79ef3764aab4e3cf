import { describe, expect, it } from 'vitest'
import { sessionStatus } from '../../../../src/entries/index.ts'
import { ofType } from '../../recordings.ts'
import {
  answer,
  completed,
  failed,
  type Message,
  main,
  pending,
  prompt,
  readEvents,
  readOpenEvents,
} from '../messages.ts'
import { readBoth } from '../stored.ts'

const REJECTED = 'The user rejected permission to use this specific tool call'
const tool = { messageID: 'msg_02', callID: 'call-prt_02' }
const asking = (id: string, fields: Message = {}) =>
  main.event('permission.asked', {
    id,
    permission: 'bash',
    patterns: ['rm *', 'rm -r *'],
    metadata: {},
    always: [],
    ...fields,
  })
const replying = (requestID: string, reply: string) => main.event('permission.replied', { requestID, reply })
const permission = asking('per_1')
const allowed = replying('per_1', 'once')
const call: readonly Message[] = [main.assistantStart('msg_02'), main.tool('msg_02', 'prt_02', pending)]
const result = (state: Message) => main.tool('msg_02', 'prt_02', state)
const requestsOf = (...events: readonly Message[]) => ofType(readEvents(...events).state, 'request')

describe('a permission request', () => {
  it('is pending until the person replies', () => {
    const { state } = readOpenEvents(...prompt, permission)
    expect(ofType(state, 'request')).toMatchObject([
      {
        id: 'per_1',
        kind: 'permission',
        status: 'pending',
        title: 'bash: rm *, rm -r *',
        options: [{ id: 'once' }, { id: 'always' }, { id: 'reject' }],
        data: { patterns: ['rm *', 'rm -r *'], always: [], metadata: {} },
      },
    ])
    expect(sessionStatus(state)).toBe('waiting')
    const later = readOpenEvents(...prompt, permission, allowed).state
    expect(ofType(later, 'request')).toMatchObject([{ id: 'per_1', status: 'complete', answer: 'once' }])
    expect(sessionStatus(later)).toBe('running')
  })

  // The reply names neither the permission nor the call. Its call shows a refusal anyway.
  it('is not shown if only the reply arrives', () => {
    expect(requestsOf(...prompt, allowed)).toEqual([])
  })

  it('takes a reply that arrives after the call has changed', () => {
    const asked = asking('per_1', { tool })
    const [request] = requestsOf(...prompt, ...call, asked, result(completed('a')), allowed)
    expect(request).toMatchObject({ status: 'complete', answer: 'once' })
  })

  it('is gone with its message, also when it is asked again', () => {
    const asked = asking('per_1', { tool })
    const { state } = readEvents(...prompt, ...call, asked, main.removed('msg_02'), asked)
    expect(ofType(state, 'request')).toEqual([])
  })
})

// OpenCode 1.2.27 writes the error as a text with its name.
it.each([
  [`Error: ${REJECTED}.`, undefined],
  [`Error: ${REJECTED} with the following feedback: Not now.`, 'Not now.'],
])('a refused permission is a request in a call whose error has its name: %s', (error, comment) => {
  const [request] = requestsOf(...prompt, ...call, result(failed(error, {})))
  expect(request).toMatchObject({ kind: 'permission', status: 'complete', denied: true, answer: 'reject' })
  expect(request?.comment).toBe(comment)
})

describe('a question', () => {
  const request = main.event('question.asked', {
    id: 'que_1',
    questions: [
      { question: 'Which one?', options: [{ label: 'A', description: 'The first' }, null], multiple: true },
      { question: 'Why?' },
      null,
      { question: 7 },
    ],
  })

  it('is pending until the person answers, and keeps the answers', () => {
    const [open] = ofType(readOpenEvents(...prompt, request).state, 'request')
    expect(open).toMatchObject({
      id: 'que_1',
      kind: 'question',
      status: 'pending',
      title: 'Which one?',
      questions: [
        {
          text: 'Which one?',
          options: [{ id: 'A', label: 'A', description: 'The first' }],
          multiple: true,
        },
        { text: 'Why?', options: [] },
      ],
    })
    expect(open).not.toHaveProperty('options')
    const answered = main.event('question.replied', { requestID: 'que_1', answers: [['A'], ['B']] })
    expect(requestsOf(...prompt, request, answered)).toMatchObject([
      { status: 'complete', title: 'Which one?', answer: [['A'], ['B']] },
    ])
  })

  it('is refused when the person rejects it', () => {
    const rejected = main.event('question.rejected', { requestID: 'que_1' })
    expect(requestsOf(...prompt, request, rejected)).toMatchObject([
      { status: 'complete', answer: 'reject', denied: true },
    ])
  })

  const input = { questions: [{ question: 'Which one?', options: [{ label: 'A' }] }] }
  const asked = main.event('question.asked', { id: 'que_1', ...input, tool })
  const question = { tool: 'question' }

  it.each([
    ['answered', completed('Yes.', { input, metadata: { answers: [['A']] } }), { answer: [['A']] }],
    ['dismissed', failed('The user dismissed this question', { input }), { answer: 'reject', denied: true }],
    ['stopped', failed('Tool execution aborted', { input }), { status: 'complete' }],
  ])('is shown by its call too, and never twice: %s', (_, state, facts) => {
    const done = main.tool('msg_02', 'prt_02', state, question)
    const end = [main.assistantEnd('msg_02', { finish: 'tool-calls' }), ...answer]
    for (const events of [[asked], [], [asked, asked]]) {
      const live = readBoth(...prompt, ...call, ...events, done, ...end)
      expect(ofType(live.state, 'request')).toMatchObject([facts])
    }
    expect(requestsOf(...prompt, ...call, done, asked)).toMatchObject([{ id: 'call-prt_02:request' }])
  })
})
