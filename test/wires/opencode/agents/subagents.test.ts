import { describe, expect, it } from 'vitest'
import { ofType } from '../../recordings.ts'
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
  subagentTurn,
  taskOutput,
  taskTarget,
  toLines,
} from '../messages.ts'
import { recordings, replay } from '../recordings.ts'
import { readBoth, readBothOpen, toExports } from '../stored.ts'

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

it('a call that starts a subagent runs before its session is known', () => {
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
  expect(after.state.subagents).toMatchObject([{ toolUseId: 'call-1', agentId: child.id, output: 'Report.' }])
  expect(after.reducerIssues).toEqual([])
})

it('a failed subagent may have an unknown agent type, without a session of its own', () => {
  const unknown = failed('Unknown agent type: tea', { input: { prompt: 'Look.', subagent_type: 'tea' } })
  const { state, issues } = readBoth(...prompt, main.assistantStart('msg_10'), call(unknown), done, ...answer)
  expect(state.subagents).toMatchObject([{ status: 'error', output: 'Unknown agent type: tea', name: 'tea' }])
  expect(issues).toEqual([])
})

it('a resumed subagent ignores the report of an earlier run', () => {
  const again = taskTarget(child.id, { prompt: 'Go on.', task_id: child.id })
  const second = (state: Message) => main.task('msg_20', 'call-2', state)
  const resumed = [...delegation, main.assistantStart('msg_20'), second(pending), second(running(again))]
  const [first] = delegation.filter((event) => JSON.stringify(event).includes('task_result'))
  const { state } = readOpenEvents(...resumed, first ?? {})
  expect(state.subagents).toMatchObject([{ status: 'running', runId: 'call-2' }])
})

describe('a background subagent', () => {
  const launch = report('You will be notified.', 'running')
  const launched = [...started, call(running(taskTarget(child.id))), call(launch), done]
  const notified = (text: string, id = 'msg_50') => [
    main.user(id),
    main.userText(id, `${id}-p`, text, { synthetic: true }),
  ]

  it('fails with a notification of an error', () => {
    const output = `<task id="${child.id}" state="error">\n<task_error>\nBoom.\n</task_error>\n</task>`
    const { state } = readBoth(...launched, ...notified(output), ...answer)
    expect(state.subagents).toMatchObject([{ status: 'error', output: 'Boom.' }])
  })

  it('is not completed by the user’s own text or by another subagent’s notification', () => {
    const output = taskOutput(child.id, 'Report.')
    const { state } = readBothOpen(
      ...launched,
      main.user('msg_50'),
      main.userText('msg_50', 'msg_50-p', output),
      ...notified(taskOutput('ses_nobody', 'Report.'), 'msg_51'),
      ...notified(taskOutput(child.id, 'Still at it.', 'running'), 'msg_52'),
      ...answer,
    )
    expect(state.subagents).toMatchObject([{ status: 'running' }])
  })
})

const aborted: Message = { name: 'MessageAbortedError', data: { message: 'Aborted' } }
const turn = subagentTurn(child, 'Report.')
const opened = [main.updated(), ...prompt.slice(1), child.updated()]

// Nothing reports the end of a subagent whose call was missed or reverted but its own session. It stayed running for ever.
describe('a subagent without a known call', () => {
  const statusOf = (...events: readonly Message[]) => readOpenEvents(...events).state.subagents[0]?.status

  it('runs until its session is idle', () => {
    const { state, issues, ending } = readEvents(...opened, ...turn.slice(0, 3), ...answer)
    expect(statusOf(...opened, ...turn.slice(0, 3), ...answer)).toBe('running')
    expect(state.subagents).toMatchObject([{ toolUseId: child.id, status: 'error' }])
    expect(issues.map(({ code }) => code)).toEqual(['unplaced-message', 'unfinished-subagent'])
    expect(ending).toBe('finished')
    expect(statusOf(...opened, ...turn)).toBe('success')
    expect(readEvents(...opened, ...turn, ...answer).ending).toBe('finished')
  })

  it('has failed if its session reports an error, or the user stopped it', () => {
    expect(statusOf(...opened, ...turn.slice(0, 4), child.failed(aborted), child.idle())).toBe('error')
    const error = { name: 'APIError', data: { message: 'Overloaded' } }
    const failure = child.assistantEnd('ses_child-2', { error })
    expect(statusOf(...opened, ...turn.slice(0, 4), failure, child.idle())).toBe('error')
  })

  it('runs again with its next message', () => {
    const second = subagentTurn(child, 'Second.', '-b')
    expect(statusOf(...opened, ...turn, ...second.slice(0, 3))).toBe('running')
    expect(statusOf(...opened, ...turn, ...second)).toBe('success')
  })

  it('is not created by an idle event alone', () => {
    expect(readEvents(...opened, child.idle()).state.subagents).toEqual([])
  })

  it('is final in exports too', () => {
    const exports = toExports([...delegation, ...answer]).map((session) => JSON.stringify(session))
    const withoutCall = `[${exports.join(',')}]`.replaceAll('"tool":"task"', '"tool":"gone"')
    const { state, issues } = replay(withoutCall)
    expect(state.subagents).toMatchObject([{ toolUseId: child.id, status: 'success' }])
    expect(issues).toEqual([{ code: 'unplaced-message', count: 1, toolUseId: child.id }])
  })

  // A person undoes the messages with the call, and the next prompt removes them. The agent's own session stays.
  it('has the names in the title of its session', () => {
    const titled = child.updated({ title: 'Docs check (v2) (@general subagent)' })
    const { state } = readEvents(...opened, titled, ...turn, ...answer)
    expect(state.subagents).toMatchObject([{ description: 'Docs check (v2)', name: 'general' }])
    const renamed = child.updated({ title: 'My own title' })
    const [agent] = readEvents(...opened, renamed, ...turn, ...answer).state.subagents
    expect([agent?.description, agent?.name]).toEqual([undefined, undefined])
  })

  it.each(recordings)('is final at the end of $name without the calls', ({ events, mainSession }) => {
    const lines = events
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    const kept = lines.filter(({ properties }) => properties.part?.tool !== 'task')
    const { state } = replay(toLines(kept))
    expect(state.session.id).toBe(mainSession)
    expect(state.subagents.filter(({ status }) => status === 'running' || status === 'pending')).toEqual([])
  })
})
