import { describe, expect, it } from 'vitest'
import { findSubagent } from '../../../src/index.ts'
import { ofType, textsOf } from '../recordings.ts'
import {
  answer,
  asked,
  child,
  completed,
  delegation,
  failed,
  framed,
  type Message,
  main,
  pending,
  question,
  read,
  running,
  Session,
  work,
} from './messages.ts'
import { readBoth } from './stored.ts'

const call = (state: Message) => main.task('msg_10', 'call-1', state)
const begun = [...question, main.begun('msg_10'), call(pending), child.created()]
const done = main.completed('msg_10', { finish: 'tool-calls' })
const report = (text: string, state?: string): Message =>
  completed(framed(child.id, text, state), asked(child.id))

describe('a call that starts a subagent', () => {
  it('is announced while the model writes it', () => {
    const { state } = read(...question, main.begun('msg_10'), call(pending))
    expect(state.blocks.at(-1)).toMatchObject({ type: 'subagent', toolUseId: 'call-1', status: 'pending' })
    expect(state.subagents).toMatchObject([{ toolUseId: 'call-1', status: 'pending' }])
  })

  it('runs with all that it was asked for, under the ids of the call and the session', () => {
    const { state } = read(...begun, call(running(asked(child.id))))
    expect(state.subagents).toMatchObject([
      {
        toolUseId: 'call-1',
        agentId: child.id,
        runId: 'call-1',
        parentConversationId: 'main',
        name: 'general',
        description: 'Look',
        prompt: 'Look closely.',
        status: 'running',
      },
    ])
    expect(ofType(state, 'subagent')).toMatchObject([
      { id: 'subagent:call-1', input: 'Look closely.', status: 'running', messageId: 'msg_10' },
    ])
  })

  it('runs before it is known which session it started', () => {
    const { input } = asked(child.id)
    const called = [...question, main.begun('msg_10'), call(pending), call(running({ input }))]
    const before = read(...called)
    expect(before.state.subagents).toMatchObject([{ toolUseId: 'call-1', status: 'running' }])
    expect(before.state.subagents[0]).not.toHaveProperty('agentId')
    const after = read(...called, child.created(), ...work(child, 'Report.'), call(report('Report.')))
    expect(after.state.subagents).toMatchObject([
      { toolUseId: 'call-1', agentId: child.id, output: 'Report.' },
    ])
    expect(after.reducerIssues).toEqual([])
  })

  it('is the subagent block and nothing else: no call and no result', () => {
    const { state } = readBoth(...delegation, ...answer)
    expect(state.blocks.map(({ type }) => type)).toEqual(['user_message', 'subagent', 'assistant_text'])
  })

  it('ends with the report alone, and how long it took', () => {
    const { state } = readBoth(...delegation, ...answer)
    expect(findSubagent(state, child.id)).toMatchObject({
      status: 'success',
      output: 'Report.',
      durationMs: 100,
    })
  })

  it.each([
    '',
    '\n',
    'two\nlines\n\nand more\n',
    '<task_result>\nquoted\n</task_result>',
    'a </task_result> b',
    '<task id="x" state="error">\n<task_error>\nno\n</task_error>\n</task>',
    '$& $1 \\n',
  ])('keeps the report as it is: %j', (text) => {
    const { state } = readBoth(...begun, ...work(child, text), call(report(text)), done, ...answer)
    expect(state.subagents[0]).toMatchObject({ output: text, status: 'success' })
  })

  it('keeps an output that has no frame', () => {
    const { state } = readBoth(...begun, call(completed('As it is.', asked(child.id))), done, ...answer)
    expect(state.subagents[0]).toMatchObject({ output: 'As it is.', status: 'success' })
  })

  it('keeps the conversation with its first prompt as what was asked', () => {
    const { state } = readBoth(...delegation, ...answer)
    const subagent = findSubagent(state, 'call-1')
    expect(subagent?.blocks).toMatchObject([
      { type: 'user_message', content: 'Look closely.', conversationId: 'call-1' },
      { type: 'assistant_text', content: 'Report.', conversationId: 'call-1' },
    ])
    expect(subagent?.usage).toMatchObject([{ inputTokens: 10, outputTokens: 5, final: true }])
  })

  it('without an id has that of its part', () => {
    const { state } = read(
      main.part('m', { id: 'prt_7', type: 'tool', tool: 'task', state: running(asked('s')) }),
    )
    expect(state.subagents).toMatchObject([{ toolUseId: 'prt_7', agentId: 's' }])
  })
})

describe('a subagent that fails', () => {
  const message = `Subagent failed (task_id: ${child.id}): refused`
  const error = { name: 'APIError', data: { message: 'refused' } }

  it('is an error, with what the program said, and has its own error', () => {
    const { state, ending } = readBoth(
      ...begun,
      call(running(asked(child.id))),
      child.user('c_1'),
      child.told('c_1', 'c_p1', 'Look closely.'),
      child.begun('c_2'),
      child.failed(error),
      child.completed('c_2', { error, finish: undefined }),
      child.idle(),
      call(failed(message, asked(child.id))),
      done,
      ...answer,
    )
    expect(state.subagents).toMatchObject([{ toolUseId: 'call-1', status: 'error', output: message }])
    expect(findSubagent(state, 'call-1')?.blocks.at(-1)).toMatchObject({
      type: 'error',
      id: 'c_2:error',
      message: 'refused',
      code: 'APIError',
    })
    expect(ofType(state, 'error')).toEqual([])
    expect(ending).toBe('finished')
  })

  it('never began, where the program does not know the agent', () => {
    const unknown = failed('Unknown agent type: tea', { input: { prompt: 'Look.', subagent_type: 'tea' } })
    const { state, issues } = readBoth(...question, main.begun('msg_10'), call(unknown), done, ...answer)
    expect(state.subagents).toMatchObject([
      { status: 'error', output: 'Unknown agent type: tea', name: 'tea' },
    ])
    expect(issues).toEqual([])
  })
})

describe('parallel subagents', () => {
  const twin = new Session('ses_twin', 'ses_main')

  it('are told apart by their sessions, also where they answer in another order', () => {
    const { state } = readBoth(
      ...begun,
      main.task('msg_10', 'call-2', pending),
      call(running(asked(child.id))),
      twin.created(),
      main.task('msg_10', 'call-2', running(asked(twin.id))),
      ...work(twin, 'Second.').flatMap((event, at) => [event, ...work(child, 'First.').slice(at, at + 1)]),
      main.task(
        'msg_10',
        'call-2',
        completed(framed(twin.id, 'Second.'), { ...asked(twin.id), time: { start: 2300, end: 2350 } }),
      ),
      call(report('First.')),
      done,
      ...answer,
    )
    expect(state.subagents).toMatchObject([
      { toolUseId: 'call-1', agentId: child.id, output: 'First.' },
      { toolUseId: 'call-2', agentId: twin.id, output: 'Second.' },
    ])
    expect(state.subagents.map(textsOf)).toEqual([['First.'], ['Second.']])
  })
})

describe('a subagent of a subagent', () => {
  const inner = new Session('ses_inner', child.id)

  it('hangs under the one that called it', () => {
    const { state } = readBoth(
      ...begun,
      call(running(asked(child.id))),
      child.begun('c_2'),
      inner.created(),
      child.task('c_2', 'call-inner', running(asked(inner.id))),
      ...work(inner, 'Inner.'),
      child.task('c_2', 'call-inner', completed(framed(inner.id, 'Inner.'), asked(inner.id))),
      child.completed('c_2'),
      call(report('Outer.')),
      done,
      ...answer,
    )
    expect(state.subagents).toMatchObject([
      { toolUseId: 'call-1', parentConversationId: 'main', output: 'Outer.' },
      { toolUseId: 'call-inner', parentConversationId: 'call-1', output: 'Inner.' },
    ])
    expect(findSubagent(state, 'call-1')?.blocks.at(-1)).toMatchObject({ id: 'subagent:call-inner' })
  })

  // Without leave to start agents, the tool is not there.
  it('is a call that cannot be made where it has no leave', () => {
    const { state } = readBoth(
      ...begun,
      call(running(asked(child.id))),
      child.begun('c_2'),
      child.tool('c_2', 'c_p', completed('unavailable tool: task'), { tool: 'invalid' }),
      child.completed('c_2'),
      call(report('Outer.')),
      done,
      ...answer,
    )
    expect(state.subagents).toHaveLength(1)
    expect(findSubagent(state, 'call-1')?.blocks).toMatchObject([
      { type: 'tool_use', toolName: 'invalid', status: 'error' },
      { type: 'tool_result', isError: true, output: 'unavailable tool: task' },
    ])
  })
})

describe('a subagent that goes on', () => {
  const again = asked(child.id, { prompt: 'Go on.', task_id: child.id })
  const second = (state: Message) => main.task('msg_20', 'call-2', state)
  const resumed = [...delegation, main.begun('msg_20'), second(pending), second(running(again))]
  const all = [
    ...resumed,
    ...work(child, 'Second.', '-2'),
    second(completed(framed(child.id, 'Second.'), again)),
    main.completed('msg_20', { finish: 'tool-calls' }),
    ...answer,
  ]

  it('runs again as the same one, with the new run', () => {
    const { state } = read(...resumed)
    expect(state.subagents).toMatchObject([
      { toolUseId: 'call-1', agentId: child.id, status: 'running', runId: 'call-2', output: 'Report.' },
    ])
    expect(ofType(state, 'tool_use')).toMatchObject([
      { toolUseId: 'call-2', toolName: 'task', status: 'pending' },
    ])
  })

  it('stays one subagent, whose second call has its result in its own place', () => {
    const { state, issues, reducerIssues } = readBoth(...all)
    expect(state.subagents).toMatchObject([
      { toolUseId: 'call-1', status: 'success', runId: 'call-2', output: 'Second.' },
    ])
    expect(textsOf(state.subagents[0] ?? state)).toEqual(['Report.', 'Second.'])
    expect(state.blocks.map(({ type }) => type)).toEqual([
      'user_message',
      'subagent',
      'tool_use',
      'tool_result',
      'assistant_text',
    ])
    expect(ofType(state, 'tool_result')).toMatchObject([{ toolUseId: 'call-2', isError: false }])
    expect(issues).toEqual([])
    expect(reducerIssues).toEqual([])
  })

  it('takes no report of an earlier run any more', () => {
    const [first] = delegation.filter((event) => JSON.stringify(event).includes('task_result'))
    const { state } = read(...resumed, first ?? {})
    expect(state.subagents).toMatchObject([{ status: 'running', runId: 'call-2' }])
  })

  it('fails in its second run', () => {
    const { state } = readBoth(...resumed, second(failed('Stopped.', again)), main.completed('msg_20'))
    expect(state.subagents).toMatchObject([{ toolUseId: 'call-1', status: 'error', output: 'Stopped.' }])
    expect(ofType(state, 'tool_use')).toMatchObject([{ toolUseId: 'call-2', status: 'error' }])
  })

  it('may be called by another conversation than the one that started it', () => {
    const inner = new Session('ses_inner', child.id)
    const task = (state: Message) => child.task('c_2', 'call-3', state)
    const { state } = read(
      ...begun,
      call(running(asked(child.id))),
      child.begun('c_2'),
      inner.created(),
      task(running(asked(inner.id))),
      task(completed(framed(inner.id, 'Inner.'), asked(inner.id))),
      main.task('msg_20', 'call-4', running(asked(inner.id, { task_id: inner.id }))),
    )
    expect(findSubagent(state, 'call-3')).toMatchObject({
      parentConversationId: 'call-1',
      status: 'running',
      runId: 'call-4',
    })
    expect(ofType(state, 'tool_use')).toMatchObject([{ toolUseId: 'call-4' }])
  })
})

describe('a subagent in the background', () => {
  const launch = report('You will be notified.', 'running')
  const launched = [...begun, call(running(asked(child.id))), call(launch), done]
  const notified = (text: string, id = 'msg_50') => [
    main.user(id),
    main.told(id, `${id}-p`, text, { synthetic: true }),
  ]

  it('runs on after its call was answered', () => {
    const { state, issues, ending } = readBoth(...launched, ...answer)
    expect(state.subagents).toMatchObject([{ toolUseId: 'call-1', status: 'running' }])
    expect(state.subagents[0]).not.toHaveProperty('output')
    expect(issues).toEqual([{ code: 'unfinished-subagent', count: 1, toolUseId: 'call-1' }])
    expect(ending).toBe('interrupted')
  })

  it('ends with the notification, which is a message that the person did not write', () => {
    const said = framed(child.id, 'Report.')
    const { state, issues, ending } = readBoth(
      ...launched,
      ...work(child, 'Report.'),
      ...notified(said),
      ...answer,
    )
    expect(state.subagents).toMatchObject([{ status: 'success', output: 'Report.', runId: 'call-1' }])
    expect(state.blocks.at(-2)).toMatchObject({
      type: 'user_message',
      id: 'msg_50-p',
      origin: 'notification',
      content: said,
    })
    expect(issues).toEqual([])
    expect(ending).toBe('finished')
  })

  it('fails with the notification that says so', () => {
    const said = `<task id="${child.id}" state="error">\n<task_error>\nBoom.\n</task_error>\n</task>`
    const { state } = readBoth(...launched, ...notified(said), ...answer)
    expect(state.subagents).toMatchObject([{ status: 'error', output: 'Boom.' }])
  })

  it('is not ended by what a person writes, or by another one’s notification', () => {
    const said = framed(child.id, 'Report.')
    const { state } = readBoth(
      ...launched,
      main.user('msg_50'),
      main.told('msg_50', 'msg_50-p', said),
      ...notified(framed('ses_nobody', 'Report.'), 'msg_51'),
      ...notified(framed(child.id, 'Still at it.', 'running'), 'msg_52'),
      ...answer,
    )
    expect(state.subagents).toMatchObject([{ status: 'running' }])
  })

  it('goes on in the background, and ends with the next notification', () => {
    const again = asked(child.id, { prompt: 'Go on.', task_id: child.id })
    const { state, reducerIssues } = readBoth(
      ...launched,
      ...notified(framed(child.id, 'First.')),
      main.begun('msg_60'),
      main.task('msg_60', 'call-2', running(again)),
      main.task('msg_60', 'call-2', completed(framed(child.id, 'Wait.', 'running'), again)),
      main.completed('msg_60', { finish: 'tool-calls' }),
      ...notified(framed(child.id, 'Second.'), 'msg_70'),
      ...answer,
    )
    expect(state.subagents).toMatchObject([{ status: 'success', runId: 'call-2', output: 'Second.' }])
    expect(reducerIssues).toEqual([])
  })
})
