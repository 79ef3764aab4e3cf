import { describe, expect, it } from 'vitest'
import { findSubagent, pendingRequests, sessionStatus } from '../../../../src/entries/index.ts'
import { opencodeSource } from '../../../../src/wires/opencode/source.ts'
import { ofType } from '../../recordings.ts'
import {
  answer,
  child,
  completed,
  failed,
  type Message,
  main,
  pending,
  prompt,
  readEvents,
  readOpenEvents,
  running,
  taskTarget,
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
  // A request that the end of an input made final was pending again after the work had gone on.
  it('stays withdrawn if the work goes on after the end of an input', () => {
    const { session } = opencodeSource.read(opencodeSource.open(), [...prompt, ...call, permission])
    const withdrawn = main.event('permission.replied', { requestID: 'per_1' })
    const later = [withdrawn, main.wholeText('msg_02', 'prt_03', 'I go on.')]
    const { state } = opencodeSource.read(opencodeSource.end(session).session, later).session
    expect([state.turn.status, ofType(state, 'request')]).toMatchObject(['running', [{ status: 'complete' }]])
  })

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

  it('names the call that waits, and what the call is about', () => {
    const [request] = requestsOf(...prompt, ...call, asking('per_1', { tool, metadata: { command: 'rm a' } }))
    expect(request).toMatchObject({ toolUseId: 'call-prt_02', title: 'bash: rm a' })
  })

  it('is shown once, even if the client reconnects', () => {
    expect(requestsOf(...prompt, permission, permission)).toHaveLength(1)
    const later = requestsOf(...prompt, permission, permission, allowed, permission)
    expect(later).toMatchObject([{ status: 'complete', answer: 'once' }])
  })

  // The reply names neither the permission nor the call. Its call shows a refusal anyway.
  it('is not shown if only the reply arrives', () => {
    expect(requestsOf(...prompt, allowed)).toEqual([])
  })

  it('is read under the other field names of earlier versions', () => {
    const { state, issues } = readEvents(
      ...prompt,
      ...call,
      main.event('permission.updated', {
        id: 'per_2',
        type: 'bash',
        title: 'rm a',
        pattern: 'rm *',
        metadata: {},
        messageID: 'msg_02',
        callID: 'call-prt_02',
        time: { created: 2350 },
      }),
      main.event('permission.replied', { permissionID: 'per_2', response: 'always' }),
    )
    expect(ofType(state, 'request')).toMatchObject([
      {
        id: 'per_2',
        status: 'complete',
        title: 'rm a',
        answer: 'always',
        toolUseId: 'call-prt_02',
        timestamp: '1970-01-01T00:00:02.350Z',
        data: { patterns: 'rm *' },
      },
    ])
    expect(issues).toEqual([])
  })

  it('belongs to the conversation of the subagent that makes it', () => {
    const needed = child.event('permission.asked', { id: 'per_3', permission: 'edit' })
    const asked = [
      ...prompt,
      child.created(),
      needed,
      main.task('msg_10', 'call-1', running(taskTarget(child.id))),
    ]
    const open = readOpenEvents(...asked).state
    expect(pendingRequests(open)).toMatchObject([{ conversationId: 'call-1', block: { id: 'per_3' } }])
    const { state } = readOpenEvents(
      ...asked,
      child.event('permission.replied', { requestID: 'per_3', reply: 'reject' }),
    )
    expect(ofType(state, 'request')).toEqual([])
    expect(findSubagent(state, 'call-1')?.blocks).toMatchObject([
      { id: 'per_3', status: 'complete', conversationId: 'call-1', answer: 'reject', denied: true },
    ])
    const withdrawn = readEvents(...asked).state
    expect(findSubagent(withdrawn, 'call-1')?.blocks).toMatchObject([{ id: 'per_3', status: 'error' }])
    expect(pendingRequests(withdrawn)).toEqual([])
  })

  it.each([
    ['the turn ends', answer],
    ['the input ends', []],
    ['the call is stopped', [result(failed('Tool execution aborted', { metadata: { interrupted: true } }))]],
  ])('is withdrawn when %s without a reply', (_, end) => {
    const [request] = requestsOf(...prompt, ...call, asking('per_1', { tool }), ...end)
    expect(request?.status).toBe('complete')
    expect(request).not.toHaveProperty('answer')
  })

  it('takes a reply that arrives after the call has changed', () => {
    const asked = asking('per_1', { tool })
    const [request] = requestsOf(...prompt, ...call, asked, result(completed('a')), allowed)
    expect(request).toMatchObject({ status: 'complete', answer: 'once' })
  })

  it('is one of several of a call, and each keeps its own answer', () => {
    const requests = requestsOf(
      ...prompt,
      ...call,
      asking('per_1', { tool, permission: 'external_directory', metadata: { filepath: '/tmp/a' } }),
      allowed,
      asking('per_2', { tool }),
      replying('per_2', 'reject'),
      result(failed(`${REJECTED} with the following feedback: Not there.`)),
    )
    expect(requests).toMatchObject([
      { id: 'per_1', title: 'external_directory: /tmp/a', answer: 'once' },
      { id: 'per_2', answer: 'reject', denied: true, comment: 'Not there.' },
    ])
    expect(requests[0]).not.toHaveProperty('denied')
  })

  // Some models call each tool with the same id.
  it('belongs to the second call with an id', () => {
    const again = [
      main.assistantEnd('msg_02', { finish: 'tool-calls' }),
      main.assistantStart('msg_03'),
      main.tool('msg_03', 'prt_03', running(), { callID: 'call-prt_02' }),
    ]
    const asked = asking('per_1', { tool: { messageID: 'msg_03', callID: 'call-prt_02' } })
    const { state } = readOpenEvents(...prompt, ...call, result(completed('a')), ...again, asked)
    expect(pendingRequests(state)).toMatchObject([{ block: { id: 'per_1', toolUseId: 'prt_03' } }])
  })

  it('is gone with its message, also when it is asked again', () => {
    const asked = asking('per_1', { tool })
    const { state } = readEvents(...prompt, ...call, asked, main.removed('msg_02'), asked)
    expect(ofType(state, 'request')).toEqual([])
  })
})

describe('a refused permission', () => {
  const turn = (error: string, ...asked: readonly Message[]) => [
    ...prompt,
    ...call,
    ...asked,
    result(failed(error, { input: { command: 'rm a' } })),
    main.assistantEnd('msg_02', { finish: 'tool-calls' }),
    ...answer,
  ]

  it('is the same from the bus, from the export and without the events of the request', () => {
    const facts = { kind: 'permission', answer: 'reject', denied: true, toolUseId: 'call-prt_02' }
    const asked = [asking('per_1', { tool, metadata: { command: 'rm a' } }), replying('per_1', 'reject')]
    for (const events of [turn(`${REJECTED}.`, ...asked), turn(`${REJECTED}.`)]) {
      const [request] = ofType(readBoth(...events).state, 'request')
      expect(request).toMatchObject({ ...facts, title: 'bash: rm a' })
      expect(request).not.toHaveProperty('comment')
    }
  })

  it('stands between the call and its result, with an id of the call', () => {
    const { state } = readEvents(...turn(`${REJECTED}.`))
    expect(state.blocks.map(({ id }) => id)).toEqual([
      'msg_01',
      'call-prt_02',
      'call-prt_02:request',
      'call-prt_02:result',
      'prt_90',
    ])
  })

  // OpenCode 1.2.27 writes the error as a text with its name.
  it.each([
    [`Error: ${REJECTED}.`, undefined],
    [`Error: ${REJECTED} with the following feedback: Not now.`, 'Not now.'],
  ])('is a request in a call whose error has its name: %s', (error, comment) => {
    const [request] = requestsOf(...prompt, ...call, result(failed(error, {})))
    expect(request).toMatchObject({ kind: 'permission', status: 'complete', denied: true, answer: 'reject' })
    expect(request?.comment).toBe(comment)
  })

  it('is no request if a rule refused the call', () => {
    const rule = 'The user has specified a rule which prevents you from using this specific tool call.'
    expect(requestsOf(...turn(rule))).toEqual([])
  })

  it('stands in for the subagent that may not start', () => {
    const refused = main.task('msg_02', 'call-1', failed(`${REJECTED}.`, taskTarget(child.id, {}, {})))
    const { state } = readEvents(...prompt, main.assistantStart('msg_02'), refused)
    expect(ofType(state, 'request')).toMatchObject([{ toolUseId: 'call-1', denied: true }])
  })
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

  it('offers the options of the only question', () => {
    const one = { question: 'Which one?', options: [{ label: 'A' }] }
    const asked = main.event('question.asked', { id: 'que_1', questions: [one] })
    expect(requestsOf(...prompt, asked)).toMatchObject([{ options: [{ id: 'A', label: 'A' }] }])
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
