import { describe, expect, it } from 'vitest'
import { branches, sessionStatus } from '../../../src/entries/index.ts'
import { isPiLine } from '../../../src/wires/pi/format.ts'
import { piSource } from '../../../src/wires/pi/source.ts'
import { assistant, calls, live, read, result, says, textsOf, timeAt, user } from './made-lines.ts'

const prompt = live(user(1, 'Go.'))
const failed = (second: number, message: string) => ({
  ...assistant(second, [], 'error'),
  errorMessage: message,
})
const runEnd = (message: object, fields: object = {}) => ({
  type: 'agent_end',
  messages: [message],
  ...fields,
})
const statusAfter = (...messages: readonly unknown[]) => read(messages).state.turn.status

// The program was stopped in the text, so no whole message came after the repeated deltas.
it('a text that streams begins anew if a reconnect repeats it from its start', () => {
  const start = { type: 'message_start', message: assistant(2, [], 'pending') }
  const event = (fields: object) => ({
    type: 'message_update',
    assistantMessageEvent: { contentIndex: 0, ...fields },
  })
  const text = [
    start,
    event({ type: 'text_start' }),
    ...['One ', 'two '].map((delta) => event({ type: 'text_delta', delta })),
  ]
  expect(textsOf(read([...prompt, ...text, ...text]).state.blocks.slice(1))).toEqual(['One two '])
})

describe('the end of a turn', () => {
  it('is `agent_settled` where the program writes it', () => {
    const run = [...prompt, ...live(says(2, 'Done.')), runEnd(says(2, 'Done.'), { willRetry: false })]
    expect(statusAfter(...run)).toBe('running')
    expect(statusAfter(...run, { type: 'agent_settled', aborted: false })).toBe('finished')
  })

  it('waits for a further attempt before 0.85', () => {
    const attempt = failed(2, '429: rate limit')
    const run = [...prompt, ...live(attempt), runEnd(attempt)]
    expect(statusAfter(...run)).toBe('running')
    expect(statusAfter(...run, { type: 'auto_retry_start', attempt: 1 })).toBe('running')
    expect(statusAfter(...run, { type: 'auto_retry_end', success: false })).toBe('failed')
    const refused = failed(2, '400: not valid')
    expect(statusAfter(...prompt, ...live(refused), runEnd(refused))).toBe('failed')
  })

  it('comes once, although a reconnect repeats it', () => {
    const first = [...prompt, ...live(says(2, 'Done.')), { type: 'agent_settled', aborted: false }]
    const second = [...live(user(3, 'More.')), { type: 'agent_start' }]
    expect(statusAfter(...first, ...second, ...first.slice(1), ...second)).toBe('running')
  })

  it('is an interruption if the person stops the model, and keeps what it has said', () => {
    const stopped = {
      ...assistant(2, [{ type: 'text', text: 'A long' }], 'aborted'),
      usage: { input: 217, output: 1 },
    }
    const { state } = read([...prompt, ...live(stopped), { type: 'agent_settled', aborted: true }])
    expect(state.turn.status).toBe('interrupted')
    expect(textsOf(state.blocks)).toEqual(['Go.', 'A long'])
    expect(state.usage).toMatchObject([{ final: false, inputTokens: 217 }])
  })
})

describe('a reply that streams', () => {
  const start = { type: 'message_start', message: assistant(2, [], 'pending') }
  const delta = (type: string, contentIndex: number, fields: object) => ({
    type: 'message_update',
    assistantMessageEvent: { type, contentIndex, ...fields },
  })

  it('loses the texts that the whole reply does not have', () => {
    const lines = [
      delta('text_delta', 0, { delta: 'Half a' }),
      { type: 'message_end', message: failed(2, 'broken') },
    ]
    expect(read([...prompt, start, ...lines]).state.blocks.map(({ type }) => type)).toEqual([
      'user_message',
      'error',
    ])
  })

  it('goes on from a state alone', () => {
    const { state } = read([...prompt, start, delta('text_delta', 0, { delta: 'Hel' })])
    const { session } = piSource.read(piSource.open(state), [delta('text_delta', 0, { delta: 'lo' })])
    expect(textsOf(session.state.blocks)).toEqual(['Go.', 'Hello'])
  })
})

describe('a request of an extension', () => {
  const ask = (fields: object) => ({
    dir: 'in',
    msg: { type: 'extension_ui_request', id: 'q1', title: 'Sure?', ...fields },
  })
  const answer = (fields: object) => ({
    dir: 'out',
    msg: { type: 'extension_ui_response', id: 'q1', ...fields },
  })
  const running = [
    ...prompt,
    ...live(calls(2, 'c1', 'bash', { command: 'rm x' })),
    { type: 'tool_execution_start', toolCallId: 'c1', toolName: 'bash', args: { command: 'rm x' } },
  ]

  it.each([
    [{ method: 'confirm' }, { confirmed: true }, { kind: 'permission', answer: 'Yes' }],
    [{ method: 'confirm' }, { confirmed: false }, { kind: 'permission', answer: 'No', denied: true }],
    [
      { method: 'select', options: ['Allow once', 'Deny'] },
      { value: 'Deny' },
      { answer: 'Deny', denied: true },
    ],
    [
      { method: 'select', options: ['pear', 'plum'] },
      { value: 'plum' },
      { kind: 'question', answer: [['plum']] },
    ],
    [{ method: 'editor' }, { value: 'a text' }, { kind: 'question', answer: [['a text']] }],
  ])('%o is answered by %o', (asked, answered, expected) => {
    const waiting = read([...running, ask(asked)]).state
    expect(sessionStatus(waiting)).toBe('waiting')
    const { state } = read([...running, ask(asked), answer(answered)])
    expect(state.blocks.at(-1)).toMatchObject({
      type: 'request',
      status: 'complete',
      toolUseId: 'c1',
      ...expected,
    })
    expect(sessionStatus(state)).toBe('running')
  })

  it('has no answer if the person cancels it, or if its tool ends', () => {
    for (const end of [[answer({ cancelled: true })], live(result(3, 'c1', 'bash', {}))]) {
      const request = read([...running, ask({ method: 'input' }), ...end]).state.blocks.find(
        ({ type }) => type === 'request',
      )
      expect(request).toMatchObject({ status: 'complete' })
      expect(request).not.toHaveProperty('answer')
    }
  })

  it('between two turns leaves the turn before as it was', () => {
    const ended = [...prompt, ...live(failed(2, '400: no')), { type: 'agent_settled', aborted: false }]
    expect(sessionStatus(read([...ended, ask({ method: 'confirm' })]).state)).toBe('waiting')
    expect(read([...ended, ask({ method: 'confirm' }), answer({ confirmed: true })]).state.turn).toEqual(
      read(ended).state.turn,
    )
  })

  it('is none if the program only shows something', () => {
    expect(
      read([...running, ask({ method: 'notify' })]).state.blocks.some(({ type }) => type === 'request'),
    ).toBe(false)
  })
})

it('a command of the person is there once if its lines come again, and twice if the person ran it twice', () => {
  const ran = (id: string, output: string) => [
    { dir: 'out', msg: { type: 'bash', id, command: 'ls' } },
    {
      dir: 'in',
      msg: { type: 'response', id, command: 'bash', success: true, data: { output, exitCode: 0 } },
    },
  ]
  const stored = (second: number) => ({
    type: 'message',
    id: `b${second}`,
    parentId: null,
    message: { role: 'bashExecution', command: 'ls', output: 'a', exitCode: 0, timestamp: timeAt(second) },
  })
  const outputs = (messages: readonly unknown[]) =>
    read(messages).state.blocks.flatMap((block) => (block.type === 'tool_result' ? [block.output] : []))
  expect(outputs([...ran('r1', 'a'), ...ran('r1', 'a')])).toHaveLength(1)
  expect(outputs([stored(1), { ...stored(2), parentId: 'b1' }])).toHaveLength(2)
  expect(outputs([stored(1), ...ran('r1', 'a')])).toHaveLength(1)
})

it('shows messages of extensions and of the program, and none that a file repeats', () => {
  const of = (second: number, role: string) => live({ role, content: role, timestamp: timeAt(second) })
  const roles = [
    'developer',
    'hookMessage',
    'compactionSummary',
    'branchSummary',
    'fileMention',
    'pythonExecution',
  ]
  const { state, issues } = read([...prompt, ...roles.flatMap((role, at) => of(at + 2, role))])
  expect(
    state.blocks.map((block) => ('origin' in block ? [block.content, block.origin] : block.type)),
  ).toEqual(['user_message', ['developer', 'meta'], ['hookMessage', 'meta']])
  expect(issues).toEqual([])
})

it('shows thinking, and a command of the person that failed', () => {
  const thought = assistant(2, [
    { type: 'thinking', thinking: 'Hm.' },
    { type: 'text', text: 'Yes.' },
  ])
  expect(textsOf(read([...prompt, ...live(thought)]).state.blocks)).toEqual(['Go.', 'Hm.', 'Yes.'])
  const ran = (more: object) =>
    read(live({ role: 'bashExecution', command: 'ls', timestamp: timeAt(1), ...more })).state.blocks
  expect(ran({ output: 'no', exitCode: 2 })).toMatchObject([
    { status: 'error' },
    { exitCode: 2, isError: true },
  ])
  expect(ran({ cancelled: true })).toMatchObject([{ status: 'error' }, { output: '', isError: true }])
})

it('shows a compaction with its summary, live and stored alike', () => {
  const facts = { summary: 'Done so far.', firstKeptEntryId: 'e1', tokensBefore: 280 }
  const stored = read([{ type: 'compaction', id: 'x', parentId: null, ...facts }]).state.blocks
  expect(stored).toMatchObject([{ subtype: 'compaction' }, { origin: 'summary', content: 'Done so far.' }])
  expect(read([{ type: 'compaction_end', reason: 'manual', result: facts }]).state.blocks).toEqual(stored)
  expect(read([{ type: 'compaction_end', reason: 'manual', aborted: true }]).state.blocks).toEqual([])
})

it('has two prompts of one time', () => {
  const { state } = read([...live(user(1, 'One.')), ...live(user(1, 'Two.')), ...live(user(1, 'Two.'))])
  expect(textsOf(state.blocks)).toEqual(['One.', 'Two.'])
  expect(branches(state)).toEqual([])
})

it('reports unknown lines and parts', () => {
  const { issues } = read([
    { type: 'tea_break', id: 'e1', parentId: null },
    { type: 'message_end', message: { role: 'wizard', timestamp: timeAt(1) } },
    { type: 'message_end', message: assistant(2, [{ type: 'hologram' }]) },
  ])
  expect(issues.map((issue) => issue.code)).toEqual(['unknown-message', 'unknown-message', 'unknown-block'])
})

it('a failed reply that comes again adds its cost once, and starts no turn', () => {
  const usage = { input: 10, output: 1, cost: { total: 0.5 } }
  const attempt = live({ ...failed(2, '400: not valid'), usage })
  const run = [...prompt, ...attempt, { type: 'agent_settled', aborted: false }]
  const { state } = read([...run, ...attempt])
  expect(state.session.costUsd).toBe(0.5)
  expect(state.turn.status).toBe('failed')
})

it('the cost of a session has that of compactions, summaries of branches and further requests, each once', () => {
  const usage = { input: 1, output: 1, cost: { total: 0.25 } }
  const compaction = { summary: 'All.', firstKeptEntryId: 'e1', tokensBefore: 9, usage }
  const end = { type: 'compaction_end', result: compaction }
  const place = { parentId: null, timestamp: '2026-01-01T00:00:00.000Z' }
  const summary = { type: 'branch_summary', id: 'e2', summary: 'Left.', usage, ...place }
  const other = { type: 'usage', id: 'e3', usage, ...place, parentId: 'e2' }
  const { state } = read([...prompt, end, end, summary, summary, other, other])
  expect(state.session.costUsd).toBe(0.75)
})

describe('a connection that goes to another session', () => {
  const response = (command: string, data: object = {}) => ({
    type: 'response',
    command,
    success: true,
    data,
  })
  const first = [...prompt, ...live(says(2, 'One.')), { type: 'agent_settled', aborted: false }]
  const elsewhere = [...live(user(4, 'Elsewhere.')), ...live(says(5, 'Two.'))]

  it.each(['new_session', 'switch_session'])('leaves out what follows `%s`', (command) => {
    const { session, issues } = piSource.read(piSource.open(), [
      response('get_state', { sessionId: 's' }),
      ...first,
      response(command, { cancelled: false }),
      ...elsewhere,
    ])
    expect(textsOf(session.state.blocks)).toEqual(['Go.', 'One.'])
    expect(session.state.turn.status).toBe('finished')
    expect(new Set(issues.map(({ code }) => code))).toEqual(new Set(['other-session']))
  })

  it('goes on when the client comes back', () => {
    const { state } = read([
      response('get_state', { sessionId: 's' }),
      ...first,
      response('switch_session'),
      ...elsewhere,
      response('switch_session'),
      response('get_state', { sessionId: 's' }),
      ...live(user(7, 'Back.')),
    ])
    expect(textsOf(state.blocks)).toEqual(['Go.', 'One.', 'Back.'])
  })

  it('goes on if an extension cancels it, or if nothing came before it', () => {
    expect(
      textsOf(
        read([...first, response('new_session', { cancelled: true }), ...live(user(4, 'More.'))]).state
          .blocks,
      ),
    ).toEqual(['Go.', 'One.', 'More.'])
    expect(textsOf(read([response('new_session'), ...first]).state.blocks)).toEqual(['Go.', 'One.'])
  })
})

it('takes no line that says only that a run is over as a proof of Pi', () => {
  expect(isPiLine({ type: 'agent_settled' })).toBe(false)
})
