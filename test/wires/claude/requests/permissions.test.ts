import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  findConversation,
  pendingRequests,
  type SessionConversationState,
  sessionStatus,
} from '../../../../src/entries/index.ts'
import { compareSessions } from '../../../../src/entries/parity.ts'
import type { Session } from '../../../../src/reading/source.ts'
import { claudeSource } from '../../../../src/wires/claude/source.ts'
import { ofType, recording, replay, requestRecordings } from '../../recordings.ts'
import {
  abortedResult,
  assistantMessage,
  finalAnswer,
  fromSubagent,
  init,
  type Message,
  modelCalls,
  modelLaunches,
  modelSays,
  readFiles,
  readOpenStream,
  readStream,
  taskStarted,
  taskUpdated,
  toolResult,
  turnResult,
  userMessage,
} from '../messages.ts'
import {
  ACCEPTED,
  call,
  cancel,
  canUseTool,
  clientAnswer,
  decidedResult,
  REFUSAL,
  REJECTED,
  stopped,
} from './messages.ts'

const open = (...messages: readonly Message[]) => readOpenStream(init, ...messages).state
const terminal = (path: string) => {
  const [folder, scenario, id] = path.split('/')
  const file = `${folder}/${scenario}/store/projects/-srv-demo/${id}.jsonl`
  return replay(readFileSync(`fixtures/interactive/${file}`, 'utf8')).state
}
const requestsIn = (state: SessionConversationState, conversationId = 'main') =>
  ofType(findConversation(state, conversationId) ?? { blocks: [], usage: [] }, 'request')
const asked = [call(), canUseTool('r1')]
const ALLOWED = clientAnswer('r1', { behavior: 'allow' })

describe('a request for a permission', () => {
  it('is open until the result of the call answers it', () => {
    const suggestions = [{ type: 'setMode', mode: 'acceptEdits' }]
    const state = open(
      call(),
      canUseTool('r1', 't1', { permission_suggestions: suggestions, blocked_path: '/a' }),
    )
    expect(state.blocks.map(({ id }) => id)).toEqual(['t1', 'r1'])
    expect(pendingRequests(state)).toEqual([
      {
        conversationId: 'main',
        block: {
          type: 'request',
          id: 'r1',
          status: 'pending',
          conversationId: 'main',
          kind: 'permission',
          title: 'Bash: Touch',
          options: [
            { id: 'allow', label: 'Allow' },
            { id: 'deny', label: 'Deny' },
          ],
          toolUseId: 't1',
          data: { permission_suggestions: suggestions, blocked_path: '/a' },
        },
      },
    ])
    expect(sessionStatus(state)).toBe('waiting')
    const answered = open(...asked, decidedResult('t1', 'out', ACCEPTED))
    expect(requestsIn(answered)).toMatchObject([{ id: 'r1', status: 'complete', answer: 'allow' }])
    expect(requestsIn(answered)[0]).not.toHaveProperty('denied')
    expect(sessionStatus(answered)).toBe('running')
  })

  it.each([
    ['that are the whole result', 'Not now.', 'Not now.'],
    [
      'after those of the program',
      `${REFUSAL} To tell you how to proceed, the user said:\nNot now.`,
      'Not now.',
    ],
    [
      'before a note of the program',
      `${REFUSAL} the user said:\nNot now.\n\nNote: The user's next message may contain a correction.`,
      'Not now.',
    ],
    ['unless there are none', REFUSAL, undefined],
  ])('has the words of a person who refuses, %s', (_, content, comment) => {
    const [request] = requestsIn(open(...asked, decidedResult('t1', content, REJECTED)))
    expect(request).toMatchObject({ status: 'complete', answer: 'deny', denied: true })
    expect(request?.comment).toBe(comment)
  })

  // Up to 2.1.280, a file does not state the decision.
  it('is known from the words of a refusal alone, and not from a refusal without words', () => {
    const refused = (words: string) =>
      requestsIn(readFiles([call(), toolResult('t1', words, {}, { is_error: true })]).state)
    expect(refused(`${REFUSAL} To tell you how to proceed, the user said:\nKeep it.`)).toMatchObject([
      { status: 'complete', answer: 'deny', denied: true, comment: 'Keep it.' },
    ])
    expect(refused(REFUSAL)).toEqual([])
  })

  it('has the path below the folder of the session as its title in a file', () => {
    const write = (path: string) =>
      assistantMessage('m1', { type: 'tool_use', id: 't1', name: 'Write', input: { file_path: path } })
    const titleOf = (path: string) =>
      requestsIn(readFiles([write(path), decidedResult('t1', 'out', ACCEPTED)]).state)[0]?.title
    expect(titleOf('/srv/demo/a/b.txt')).toBe('Write: a/b.txt')
    expect(titleOf('/srv/demos/b.txt')).toBe('Write: /srv/demos/b.txt')
  })

  it.each([
    ['a withdrawal', [cancel('r1')]],
    [
      'a withdrawal and the stop of the turn',
      [cancel('r1'), toolResult('t1', REFUSAL, {}, { is_error: true }), stopped],
    ],
    ['the stop of the turn', [stopped, abortedResult]],
    ['the failure of the turn', [turnResult({ is_error: true, subtype: 'error_during_execution' })]],
    ['a new process', [init, finalAnswer]],
    ['another message, after the process was killed', [modelSays('m2', 'Again.')]],
    ['the end of the input', []],
  ])('has no answer after %s', (_, messages) => {
    const { state } = readStream(init, ...asked, ...messages)
    expect(requestsIn(state)).toMatchObject([{ id: 'r1', status: 'complete' }])
    expect(requestsIn(state)[0]).not.toHaveProperty('answer')
    expect(pendingRequests(state)).toEqual([])
  })

  // Versions up to 2.1.237 do not state the decision.
  it('has the answer that the result alone shows', () => {
    const result = (content: string, isError: boolean) =>
      requestsIn(open(...asked, toolResult('t1', content, {}, { is_error: isError })))[0]
    expect(result('out', false)).toMatchObject({ answer: 'allow' })
    expect(result(REFUSAL, true)).toMatchObject({ answer: 'deny', denied: true })
    expect(result('Exit code 1', true)).not.toHaveProperty('answer')
  })

  it('is none if a rule or a hook has decided', () => {
    for (const source of ['config', 'hook'])
      expect(requestsIn(open(call(), decidedResult('t1', 'out', ['accept', source])))).toEqual([])
    expect(
      requestsIn(open(...asked, decidedResult('t1', 'out', ['accept', 'config'])))[0],
    ).not.toHaveProperty('answer')
  })

  it('keeps the input if the source has not read the call, or the call has another one', () => {
    const data = (...messages: readonly Message[]) => requestsIn(open(...messages))[0]?.data
    const input = { command: 'touch a.txt', description: 'Touch' }
    expect(data(canUseTool('r1'))).toEqual({ tool_name: 'Bash', input })
    expect(data(call(), canUseTool('r1', 't1', { input: { command: 'ls' } }))).toEqual({
      input: { command: 'ls' },
    })
    // A plan is in the call alone.
    expect(data(call(), canUseTool('r1', 't1', { input: {} }))).toBeUndefined()
    expect(data(call(), canUseTool('r1'))).toBeUndefined()
  })

  it('keeps the whole input of an agent’s call, because the block of the agent has only a part', () => {
    const input = { description: 'Look', prompt: 'Look.', subagent_type: 'explorer', run_in_background: true }
    const launch = modelCalls('m1', 't0', 'Agent', input)
    const [request] = requestsIn(open(launch, canUseTool('r1', 't0', { tool_name: 'Agent', input })))
    expect(request?.data).toEqual({ input })
  })

  it('of a call that is asked again replaces the earlier one', () => {
    const state = open(...asked, canUseTool('r2'), decidedResult('t1', 'out', ACCEPTED))
    expect(requestsIn(state).map(({ id, status, answer }) => [id, status, answer])).toEqual([
      ['r1', 'complete', undefined],
      ['r2', 'complete', 'allow'],
    ])
  })

  // A page showed no button for a request of a second process.
  it('with a known id is another one after a new process has begun', () => {
    const ends = [cancel('r1'), ALLOWED, modelSays('m2', 'Again.')]
    for (const end of [[], ...ends.map((each) => [each])]) {
      const opened = claudeSource.open(open(...asked, ...end))
      const again = claudeSource.read(opened, [{ ...init, uuid: 'second' }, canUseTool('r1')]).session
      expect(pendingRequests(again.state)).toMatchObject([{ block: { id: 'r1' } }])
      const cancelled = claudeSource.read(again, [cancel('r1')]).session
      const { events } = claudeSource.read(cancelled, [canUseTool('r1')])
      expect(events).toEqual([])
    }
  })

  // A page showed a button for a request of an earlier turn: each turn of a process begins with `init`.
  it.each([
    ['cancelled', [call(), canUseTool('r1'), cancel('r1')]],
    ['answered, and named no call', [canUseTool('r1', 't1', { tool_use_id: undefined }), ALLOWED]],
  ])('that was %s stays over if it comes again in the next turn', (_, messages) => {
    const turns = [...messages, turnResult(), { ...init, uuid: 'second' }, userMessage('Next.')]
    expect(open(...turns, ...messages.slice(-2, -1))).toEqual(open(...turns))
  })

  it('is not lost if it names no call', () => {
    const state = open(canUseTool('r1', 't1', { tool_use_id: undefined }), cancel('r1'))
    expect(requestsIn(state)).toMatchObject([{ id: 'r1', status: 'complete' }])
  })

  it('stands after its call and before the result, even if the file has the result first', () => {
    const { state } = readFiles([userMessage('Go.'), decidedResult('t1', 'out', ACCEPTED), call()])
    expect(requestsIn(state)).toMatchObject([{ id: 't1:request', title: 'Bash: Touch', answer: 'allow' }])
    const stored = readFiles([userMessage('Go.'), call(), decidedResult('t1', 'out', ACCEPTED)]).state
    expect(stored.blocks.slice(1).map(({ id }) => id)).toEqual(['t1', 't1:request', 't1:result'])
  })

  // A person left the dialog in the terminal, and the call was a failed one.
  it('was refused in the terminal, if the call never ran because the person left its dialog', () => {
    for (const [path, words] of [
      [
        'claude-code-tui/63a-permission-denied/16d5d09b-1aea-4bfe-947c-348dcb5726bd',
        'Keep it, it is needed.',
      ],
      // Before 2.1.332 no field says that the call never ran.
      [
        'claude-code-tui-2.1.280/63b-permission-denied/9c83ddd2-ead6-427e-970a-afd51966fbaa',
        'No, move nothing either.',
      ],
      [
        'claude-code-tui-2.0.77/63a-permission-denied/8692e39a-4372-4490-946f-a50acdb6bb4c',
        'Keep it, it is needed.',
      ],
    ] as const) {
      const [left, refused] = requestsIn(terminal(path))
      expect(left, path).toMatchObject({
        kind: 'permission',
        answer: 'deny',
        denied: true,
        status: 'complete',
      })
      expect(left, path).not.toHaveProperty('comment')
      expect(refused, path).toMatchObject({ denied: true, comment: words })
    }
    // A call that the person stopped while it ran was not refused.
    expect(
      requestsIn(terminal('claude-code-tui/23f-queued-then-esc/164f357f-3fd3-4bde-8d10-82fd4732d051')),
    ).toEqual([])
  })

  it('was not refused for certain, if a stop leaves open which call it was', () => {
    const lines = (version: string, stop: Message = {}, calls = ['t1']) => {
      const place = { entrypoint: 'cli', version }
      const results = calls.map((id) =>
        toolResult(id, REFUSAL, { toolUseResult: 'User rejected tool use', ...place }, { is_error: true }),
      )
      const end = { ...stopped, ...place, ...stop }
      return requestsIn(
        readFiles([userMessage('Go.', place), ...calls.map((id) => call(id, place)), ...results, end]).state,
      )
    }
    expect(lines('2.1.280')).toMatchObject([{ id: 't1:request', denied: true }])
    expect(lines('2.1.280', { interruptedMessageId: 'm1' })).toEqual([])
    expect(lines('2.1.140')).toEqual([])
    expect(lines('2.1.280', { entrypoint: 'sdk-cli' })).toEqual([])
    expect(lines('2.1.280', {}, ['t1', 't2'])).toEqual([])
  })

  it('is in a stream without the lines of the requests too', () => {
    for (const { stream, disk } of requestRecordings) {
      const lines = stream.split('\n').filter((line) => !line.includes('"type":"control_'))
      const [live, stored] = [replay(lines.join('\n')).state, replay(disk).state]
      expect(requestsIn(live)).toEqual(requestsIn(stored))
      expect(compareSessions(live, stored).differences).toEqual([])
    }
  })
})

describe('a request of a subagent', () => {
  const spawned = [modelLaunches('m0', 't0'), taskStarted('a1', 't0')]
  const ofAgent = canUseTool('r1', 't1', { agent_id: 'a1' })

  it('is in the conversation of its agent', () => {
    const state = open(...spawned, call('t1', fromSubagent('t0', 'a1')), ofAgent)
    expect(pendingRequests(state)).toMatchObject([{ conversationId: 't0', block: { id: 'r1' } }])
    expect(sessionStatus(state)).toBe('waiting')
    const answered = open(
      ...[...spawned, call('t1', fromSubagent('t0', 'a1')), ofAgent],
      decidedResult('t1', 'out', ACCEPTED, fromSubagent('t0', 'a1')),
    )
    expect(requestsIn(answered, 't0')).toMatchObject([{ answer: 'allow' }])
  })

  it('is not lost if the agent is not known yet', () => {
    const state = open(ofAgent, ...spawned)
    expect(pendingRequests(state)).toMatchObject([{ conversationId: 't0', block: { id: 'r1' } }])
    expect(pendingRequests(open(ofAgent, ...spawned, cancel('r1')))).toEqual([])
  })

  // A page showed no button, and the program waited for ever: the request had no `agent_id`, or an unknown one.
  it.each([
    ['that names no agent', undefined, []],
    ['that names no agent, after the start of the agent', undefined, [taskStarted('a1', 't0')]],
    ['that names an agent of which nothing else is known', 'a1', []],
    ['that names another agent', 'a9', [taskStarted('a1', 't0')]],
  ] as const)('is in the conversation of its call, %s', (_, agentId, started) => {
    const ofCall = canUseTool('r1', 't1', { agent_id: agentId })
    const [launched, called] = [modelLaunches('m0', 't0'), call('t1', fromSubagent('t0'))]
    for (const messages of [
      [launched, ...started, called, ofCall],
      [launched, ...started, ofCall, called],
      [ofCall, launched, called, ...started],
    ]) {
      const state = open(...messages)
      expect(pendingRequests(state)).toMatchObject([{ conversationId: 't0', block: { id: 'r1' } }])
      expect(sessionStatus(state)).toBe('waiting')
      const result = decidedResult('t1', 'out', ACCEPTED, fromSubagent('t0'))
      const answered = open(...messages, result)
      expect(pendingRequests(answered)).toEqual([])
      expect(requestsIn(answered, 't0')).toMatchObject([{ answer: 'allow' }])
    }
  })

  // A page showed an agent that ran for ever.
  it.each([
    ['waits', [], ['waiting', 1]],
    ['was answered before its call', [ALLOWED], ['running', 0]],
    ['was withdrawn before its call', [cancel('r1')], ['running', 0]],
  ] as const)(
    'names an agent that never runs, if the call is that of main: it %s',
    (_, before, [status, waiting]) => {
      const ghost = [canUseTool('r1', 't1', { agent_id: 'a9' }), ...before, call()]
      const asks = open(...ghost)
      expect(requestsIn(asks)).toMatchObject([{ id: 'r1' }])
      expect([sessionStatus(asks), pendingRequests(asks).length]).toEqual([status, waiting])
      const done = open(
        ...ghost,
        decidedResult('t1', 'out', ACCEPTED),
        modelSays('m2', 'Done.'),
        turnResult(),
      )
      expect([sessionStatus(done), requestsIn(done)[0]?.answer]).toEqual(['finished', 'allow'])
      // The agent starts later.
      const own = [modelLaunches('m0', 't0'), taskStarted('a9', 't0'), call('t2', fromSubagent('t0'))]
      const state = open(...ghost, ...own, canUseTool('r2', 't2', { agent_id: 'a9' }))
      expect(pendingRequests(state)).toMatchObject([{ conversationId: 't0', block: { id: 'r2' } }])
      expect(state.subagents).toMatchObject([{ toolUseId: 't0', agentId: 'a9', status: 'running' }])
    },
  )

  it('is in the agent whose call waits, if main and the agent have calls with one id', () => {
    const ofMain = [call(), decidedResult('t1', 'out', ACCEPTED)]
    const inAgent = [...spawned, call('t1', fromSubagent('t0')), canUseTool('r2')]
    expect(pendingRequests(open(...ofMain, ...inAgent))).toMatchObject([{ conversationId: 't0' }])
    expect(pendingRequests(open(call(), ...inAgent))).toMatchObject([{ conversationId: 'main' }])
  })

  it('is over with the agent, and with the input', () => {
    expect(pendingRequests(open(...spawned, ofAgent, taskUpdated('a1', 'killed')))).toEqual([])
    const { state } = readStream(init, ...spawned, ofAgent)
    expect(pendingRequests(state)).toEqual([])
  })

  it('stays open at the end of main’s turn if the agent works in the background', () => {
    const launch = toolResult('t0', 'Launched.', {
      tool_use_result: { status: 'async_launched', agentId: 'a1' },
    })
    const state = open(...spawned, launch, ofAgent, finalAnswer)
    expect(pendingRequests(state)).toHaveLength(1)
    expect(sessionStatus(state)).toBe('waiting')
  })
})

describe('the client’s answer', () => {
  const answered = (response: Message, ...messages: readonly Message[]) =>
    open(...asked, clientAnswer('r1', response), ...messages)

  it('is there before the result, which only adds missing facts', () => {
    const refusal = answered({ behavior: 'deny', message: 'Not now.' })
    expect(requestsIn(refusal)).toMatchObject([
      { status: 'complete', answer: 'deny', denied: true, comment: 'Not now.' },
    ])
    expect(sessionStatus(refusal)).toBe('running')
    const later = answered({ behavior: 'deny', message: 'Not now.' }, decidedResult('t1', REFUSAL, REJECTED))
    expect(requestsIn(later)).toEqual(requestsIn(refusal))
    const silent = answered({ behavior: 'deny', message: '' }, decidedResult('t1', 'Not now.', REJECTED))
    expect(requestsIn(silent)).toEqual(requestsIn(refusal))
    // A contradiction does not mix two answers.
    const other = answered({ behavior: 'allow' }, decidedResult('t1', 'Not now.', REJECTED))
    expect(requestsIn(other)).toEqual(requestsIn(answered({ behavior: 'allow' })))
  })

  it('keeps an input that differs from that of the call, and rules that the person saved', () => {
    const data = (response: Message) => requestsIn(answered({ behavior: 'allow', ...response }))[0]?.data
    expect(data({ updatedInput: { description: 'Touch', command: 'touch a.txt' } })).toBeUndefined()
    expect(data({ updatedInput: {} })).toBeUndefined()
    const updated = { updatedInput: { command: 'touch b.txt' }, updatedPermissions: [{ type: 'addRules' }] }
    expect(data(updated)).toEqual(updated)
  })

  it('to another request changes nothing', () => {
    const state = open(...asked)
    expect(open(...asked, clientAnswer('r9', { behavior: 'allow' }))).toEqual(state)
    expect(open(...asked, clientAnswer('r1', {}))).toEqual(state)
    const error = { type: 'control_response', response: { subtype: 'error', request_id: 'r1', error: 'no' } }
    expect(open(...asked, error)).toEqual(state)
    const others = ['initialize', 'interrupt', 'hook_callback', 'mcp_message'].map((subtype) => ({
      ...{ type: 'control_request', request_id: 'q', request: { subtype } },
    }))
    const { issues, state: same } = readOpenStream(init, ...asked, ...others, { type: 'control_request' })
    expect(same).toEqual(state)
    expect(issues).toEqual([])
  })

  it.each(requestRecordings.filter(({ stdin }) => stdin !== ''))(
    'agrees with the results in the recording $name',
    ({ stream, stdin }) => {
      const live = replay(stream).state
      const both = replay(withStdin(stream, stdin)).state
      const withoutData = (state: SessionConversationState) =>
        requestsIn(state).map(({ data, ...request }) => request)
      expect(withoutData(both)).toEqual(withoutData(live))
      const changed = requestsIn(both).filter(({ data }) => JSON.stringify(data).includes('updatedInput'))
      expect(changed.map(({ data }) => data)).toMatchObject(
        live.session.id?.startsWith('c9fe') ? [{ updatedInput: { command: 'touch changed.txt' } }] : [],
      )
    },
  )
})

/** Puts what the client wrote among the lines of the stream. */
function withStdin(stream: string, stdin: string): string {
  const lines = stream.trimEnd().split('\n')
  const written = stdin
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  return [...lines.keys(), lines.length]
    .flatMap((at) => [
      ...written
        .filter(({ afterLine, msg }) => afterLine === at && msg.type !== 'user')
        .map(({ msg }) => JSON.stringify(msg)),
      lines[at] ?? '',
    ])
    .join('\n')
}

describe('a reader that joins, reconnects or starts again', () => {
  const history = [call(), decidedResult('t1', 'out', ACCEPTED)].map((message, at) => ({
    ...{ ...message, uuid: `u${at}`, sessionId: 'session' },
  }))
  const stream = [call(), canUseTool('r1'), decidedResult('t1', 'out', ACCEPTED)].map((message) => ({
    ...message,
    uuid: message.type === 'control_request' ? undefined : message.type === 'user' ? 'u1' : 'u0',
  }))

  const read = (messages: readonly Message[], session: Session = claudeSource.open()): Session =>
    claudeSource.read(session, messages).session
  const resumed = ({ state }: Session): Session => claudeSource.open(state)
  const ways: readonly (readonly [string, (session: Session) => Session])[] = [
    ['the same session', (session) => session],
    ['a session from the state', resumed],
  ]

  it.each(ways)('has one request for a call, history first, with %s', (_, go) => {
    const { state } = read(stream, go(read(history)))
    expect(requestsIn(state)).toMatchObject([{ id: 't1:request', answer: 'allow' }])
  })

  it.each(ways)('has one request for a call, stream first, with %s', (_, go) => {
    for (const seen of [stream.slice(0, 2), stream]) {
      const { state } = read(history, go(read(seen)))
      expect(requestsIn(state)).toMatchObject([{ id: 'r1', answer: 'allow' }])
    }
  })

  it.each(ways)('takes a request that comes again as the same one, with %s', (_, go) => {
    for (const count of [2, 3]) {
      const { state } = read(stream, go(read(stream.slice(0, count))))
      expect(requestsIn(state)).toMatchObject([{ id: 'r1', answer: 'allow' }])
    }
    const withdrawn = read([...stream.slice(0, 2), cancel('r1')])
    expect(read(stream.slice(0, 2), go(withdrawn)).state).toEqual(withdrawn.state)
  })

  it('has its answer if the stream goes on after the end of an input', () => {
    const ended = claudeSource.end(read(stream.slice(0, 2))).session
    expect(sessionStatus(ended.state)).toBe('interrupted')
    const again = read(stream.slice(1, 2), resumed(ended))
    // Nothing but a request that comes again revives a session: its program still waits.
    expect(sessionStatus(again.state)).toBe('waiting')
    expect(requestsIn(read(stream.slice(2), again).state)).toMatchObject([{ id: 'r1', answer: 'allow' }])
    // The answer counts without the repeated request too.
    expect(requestsIn(read(stream.slice(2), resumed(ended)).state)).toMatchObject([
      { id: 'r1', answer: 'allow' },
    ])
  })

  it('keeps an answered request if the client’s answer comes again', () => {
    const answer = clientAnswer('r1', { behavior: 'deny', message: 'No.' })
    const once = read([...stream.slice(0, 2), answer])
    expect(read([answer], resumed(once)).state).toBe(once.state)
  })
})

it('has no request in a recording whose calls nobody asked about', () => {
  const { stream, disk } = recording('03-tools')
  for (const side of [stream, disk]) expect(requestsIn(replay(side).state)).toEqual([])
})
