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
