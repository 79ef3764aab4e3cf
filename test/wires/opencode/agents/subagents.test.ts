import { describe, expect, it } from 'vitest'
import { findSubagent } from '../../../../src/entries/index.ts'
import { ofType, textsOf } from '../../recordings.ts'
import {
  answer,
  child,
  completed,
  delegation,
  failed,
  type Message,
  main,
  pending,
  prompt,
  readEvents,
  readOpenEvents,
  running,
  SessionEvents,
  subagentTurn,
  taskOutput,
  taskTarget,
} from '../messages.ts'
import { readBoth } from '../stored.ts'

const call = (state: Message) => main.task('msg_10', 'call-1', state)
const started = [...prompt, main.assistantStart('msg_10'), call(pending), child.created()]
const done = main.assistantEnd('msg_10', { finish: 'tool-calls' })
const report = (text: string, state?: string): Message =>
  completed(taskOutput(child.id, text, state), taskTarget(child.id))

describe('a call of version 1.18.4 whose subagent fails', () => {
  // Versions before 1.18.20 complete the call with the text of the subagent's last message.
  const REFUSED = { name: 'APIError', data: { message: 'refused', statusCode: 400 } }
  const failing = (text: string) => [
    ...started,
    call(running(taskTarget(child.id))),
    child.user('msg_20'),
    child.userText('msg_20', 'prt_20', 'Look closely.'),
    child.assistantStart('msg_21'),
    ...(text === '' ? [] : [child.wholeText('msg_21', 'prt_21', text)]),
    child.failed(REFUSED),
    child.assistantEnd('msg_21', { finish: undefined, error: REFUSED }),
    child.idle(),
    call(report(text)),
    done,
  ]

  it("is an error with the subagent's own error", () => {
    const { state } = readBoth(...failing(''))
    expect(state.subagents).toMatchObject([{ status: 'error', output: 'refused' }])
    expect(ofType(state, 'subagent')).toMatchObject([{ status: 'error', output: 'refused' }])
  })

  it('is an error if the subagent had begun to report', () => {
    const { state } = readBoth(...failing('Half a rep'))
    expect(state.subagents).toMatchObject([{ status: 'error', output: 'refused' }])
  })

  it('succeeds if the subagent has reported since', () => {
    const again = [child.assistantStart('msg_31'), child.wholeText('msg_31', 'prt_31', 'Report.')]
    const end = [child.assistantEnd('msg_31'), call(report('Report.')), done]
    const { state } = readBoth(...failing('').slice(0, -2), ...again, ...end)
    expect(state.subagents).toMatchObject([{ status: 'success', output: 'Report.' }])
  })
})

describe('a call that starts a subagent', () => {
  it('is a pending subagent while the model writes it', () => {
    const { state } = readOpenEvents(...prompt, main.assistantStart('msg_10'), call(pending))
    expect(state.blocks.at(-1)).toMatchObject({ type: 'subagent', toolUseId: 'call-1', status: 'pending' })
    expect(state.subagents).toMatchObject([{ toolUseId: 'call-1', status: 'pending' }])
  })

  it('runs with its whole input, under the ids of the call and the session', () => {
    const { state } = readOpenEvents(...started, call(running(taskTarget(child.id))))
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

  it('runs before its session is known', () => {
    const { input } = taskTarget(child.id)
    const called = [...prompt, main.assistantStart('msg_10'), call(pending), call(running({ input }))]
    const before = readOpenEvents(...called)
    expect(before.state.subagents).toMatchObject([{ toolUseId: 'call-1', status: 'running' }])
    expect(before.state.subagents[0]).not.toHaveProperty('agentId')
    const after = readEvents(
      ...called,
      child.created(),
      ...subagentTurn(child, 'Report.'),
      call(report('Report.')),
    )
    expect(after.state.subagents).toMatchObject([
      { toolUseId: 'call-1', agentId: child.id, output: 'Report.' },
    ])
    expect(after.reducerIssues).toEqual([])
  })

  // OpenCode announces the call, then finds that its arguments are wrong. The announced subagent stayed pending for ever.
  it('is no subagent if it turns into a call of the tool `invalid`', () => {
    const invalid = main.tool('msg_10', 'call-1', completed('Wrong arguments.'), {
      tool: 'invalid',
      callID: 'call-1',
    })
    const start = [...prompt, main.assistantStart('msg_10'), call(pending)]
    const { state, issues, reducerIssues, ending } = readBoth(...start, invalid, done, ...answer)
    expect(state.subagents).toEqual([])
    expect(ofType(state, 'subagent')).toEqual([])
    expect(ofType(state, 'tool_use')).toMatchObject([{ toolUseId: 'call-1', status: 'error' }])
    expect(ofType(state, 'tool_result')).toMatchObject([{ output: 'Wrong arguments.', isError: true }])
    expect([issues, reducerIssues, ending]).toEqual([[], [], 'finished'])
    expect(readEvents(...start, invalid, call(pending), done, ...answer).state).toEqual(state)
  })

  it('is a subagent block only, without a tool call and a result', () => {
    const { state } = readBoth(...delegation, ...answer)
    expect(state.blocks.map(({ type }) => type)).toEqual(['user_message', 'subagent', 'assistant_text'])
  })

  it('completes with the report alone, and its duration', () => {
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
  ])('keeps the report unchanged: %j', (text) => {
    const { state } = readBoth(...started, ...subagentTurn(child, text), call(report(text)), done, ...answer)
    expect(state.subagents[0]).toMatchObject({ output: text, status: 'success' })
  })

  it('keeps an output without a frame', () => {
    const { state } = readBoth(
      ...started,
      call(completed('As it is.', taskTarget(child.id))),
      done,
      ...answer,
    )
    expect(state.subagents[0]).toMatchObject({ output: 'As it is.', status: 'success' })
  })

  it('shows the prompt as the first message of the subagent', () => {
    const { state } = readBoth(...delegation, ...answer)
    const subagent = findSubagent(state, 'call-1')
    expect(subagent?.blocks).toMatchObject([
      { type: 'user_message', content: 'Look closely.', conversationId: 'call-1' },
      { type: 'assistant_text', content: 'Report.', conversationId: 'call-1' },
    ])
    expect(subagent?.usage).toMatchObject([{ inputTokens: 10, outputTokens: 5, final: true }])
  })

  it('takes the id of its part if it has none', () => {
    const { state } = readEvents(
      main.part('m', { id: 'prt_7', type: 'tool', tool: 'task', state: running(taskTarget('s')) }),
    )
    expect(state.subagents).toMatchObject([{ toolUseId: 'prt_7', agentId: 's' }])
  })
})

describe('a failed subagent', () => {
  const message = `Subagent failed (task_id: ${child.id}): refused`
  const error = { name: 'APIError', data: { message: 'refused' } }

  it('has the error of the call as output, and its own error block', () => {
    const { state, ending } = readBoth(
      ...started,
      call(running(taskTarget(child.id))),
      child.user('c_1'),
      child.userText('c_1', 'c_p1', 'Look closely.'),
      child.assistantStart('c_2'),
      child.failed(error),
      child.assistantEnd('c_2', { error, finish: undefined }),
      child.idle(),
      call(failed(message, taskTarget(child.id))),
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

  it('may have an unknown agent type, without a session of its own', () => {
    const unknown = failed('Unknown agent type: tea', { input: { prompt: 'Look.', subagent_type: 'tea' } })
    const { state, issues } = readBoth(
      ...prompt,
      main.assistantStart('msg_10'),
      call(unknown),
      done,
      ...answer,
    )
    expect(state.subagents).toMatchObject([
      { status: 'error', output: 'Unknown agent type: tea', name: 'tea' },
    ])
    expect(issues).toEqual([])
  })
})

describe('parallel subagents', () => {
  const twin = new SessionEvents('ses_twin', 'ses_main')

  it('are distinguished by their sessions, even if they finish in another order', () => {
    const { state } = readBoth(
      ...started,
      main.task('msg_10', 'call-2', pending),
      call(running(taskTarget(child.id))),
      twin.created(),
      main.task('msg_10', 'call-2', running(taskTarget(twin.id))),
      ...subagentTurn(twin, 'Second.').flatMap((event, at) => [
        event,
        ...subagentTurn(child, 'First.').slice(at, at + 1),
      ]),
      main.task(
        'msg_10',
        'call-2',
        completed(taskOutput(twin.id, 'Second.'), {
          ...taskTarget(twin.id),
          time: { start: 2300, end: 2350 },
        }),
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

describe('a nested subagent', () => {
  const inner = new SessionEvents('ses_inner', child.id)

  it('belongs to the subagent that called it', () => {
    const { state } = readBoth(
      ...started,
      call(running(taskTarget(child.id))),
      child.assistantStart('c_2'),
      inner.created(),
      child.task('c_2', 'call-inner', running(taskTarget(inner.id))),
      ...subagentTurn(inner, 'Inner.'),
      child.task('c_2', 'call-inner', completed(taskOutput(inner.id, 'Inner.'), taskTarget(inner.id))),
      child.assistantEnd('c_2'),
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

  // Without permission to start agents, the model has no `task` tool.
  it('is a failed tool call if the subagent has no permission', () => {
    const { state } = readBoth(
      ...started,
      call(running(taskTarget(child.id))),
      child.assistantStart('c_2'),
      child.tool('c_2', 'c_p', completed('unavailable tool: task'), { tool: 'invalid' }),
      child.assistantEnd('c_2'),
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
