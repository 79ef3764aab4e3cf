import { describe, expect, it } from 'vitest'
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
})

describe('a failed subagent', () => {
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
