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
  readOpenEvents,
  running,
  SessionEvents,
  subagentTurn,
  taskOutput,
  taskTarget,
} from '../messages.ts'
import { readBoth, readBothOpen } from '../stored.ts'

const call = (state: Message) => main.task('msg_10', 'call-1', state)
const started = [...prompt, main.assistantStart('msg_10'), call(pending), child.created()]
const done = main.assistantEnd('msg_10', { finish: 'tool-calls' })
const report = (text: string, state?: string): Message =>
  completed(taskOutput(child.id, text, state), taskTarget(child.id))

describe('a resumed subagent', () => {
  const again = taskTarget(child.id, { prompt: 'Go on.', task_id: child.id })
  const second = (state: Message) => main.task('msg_20', 'call-2', state)
  const resumed = [...delegation, main.assistantStart('msg_20'), second(pending), second(running(again))]
  const all = [
    ...resumed,
    ...subagentTurn(child, 'Second.', '-2'),
    second(completed(taskOutput(child.id, 'Second.'), again)),
    main.assistantEnd('msg_20', { finish: 'tool-calls' }),
    ...answer,
  ]

  it('is the same subagent with a new run', () => {
    const { state } = readOpenEvents(...resumed)
    expect(state.subagents).toMatchObject([
      { toolUseId: 'call-1', agentId: child.id, status: 'running', runId: 'call-2', output: 'Report.' },
    ])
    expect(ofType(state, 'tool_use')).toMatchObject([
      { toolUseId: 'call-2', toolName: 'task', status: 'pending' },
    ])
  })

  it('keeps its place, and the resuming call is a tool call with a result', () => {
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

  it('ignores the report of an earlier run', () => {
    const [first] = delegation.filter((event) => JSON.stringify(event).includes('task_result'))
    const { state } = readOpenEvents(...resumed, first ?? {})
    expect(state.subagents).toMatchObject([{ status: 'running', runId: 'call-2' }])
  })

  it('may fail in its second run', () => {
    const { state } = readBoth(...resumed, second(failed('Stopped.', again)), main.assistantEnd('msg_20'))
    expect(state.subagents).toMatchObject([{ toolUseId: 'call-1', status: 'error', output: 'Stopped.' }])
    expect(ofType(state, 'tool_use')).toMatchObject([{ toolUseId: 'call-2', status: 'error' }])
  })

  it('may be resumed by another conversation than the one that started it', () => {
    const inner = new SessionEvents('ses_inner', child.id)
    const task = (state: Message) => child.task('c_2', 'call-3', state)
    const { state } = readOpenEvents(
      ...started,
      call(running(taskTarget(child.id))),
      child.assistantStart('c_2'),
      inner.created(),
      task(running(taskTarget(inner.id))),
      task(completed(taskOutput(inner.id, 'Inner.'), taskTarget(inner.id))),
      main.task('msg_20', 'call-4', running(taskTarget(inner.id, { task_id: inner.id }))),
    )
    expect(findSubagent(state, 'call-3')).toMatchObject({
      parentConversationId: 'call-1',
      status: 'running',
      runId: 'call-4',
    })
    expect(ofType(state, 'tool_use')).toMatchObject([{ toolUseId: 'call-4' }])
  })
})

describe('a background subagent', () => {
  const launch = report('You will be notified.', 'running')
  const launched = [...started, call(running(taskTarget(child.id))), call(launch), done]
  const notified = (text: string, id = 'msg_50') => [
    main.user(id),
    main.userText(id, `${id}-p`, text, { synthetic: true }),
  ]

  it('still runs after the result of its call', () => {
    const { state, issues, ending } = readBothOpen(...launched, ...answer)
    expect(state.subagents).toMatchObject([{ toolUseId: 'call-1', status: 'running' }])
    expect(state.subagents[0]).not.toHaveProperty('output')
    expect(issues).toEqual([{ code: 'unfinished-subagent', count: 1, toolUseId: 'call-1' }])
    expect(ending).toBe('finished')
  })

  it('completes with the notification, which is a user message of origin `notification`', () => {
    const output = taskOutput(child.id, 'Report.')
    const { state, issues, ending } = readBoth(
      ...launched,
      ...subagentTurn(child, 'Report.'),
      ...notified(output),
      ...answer,
    )
    expect(state.subagents).toMatchObject([{ status: 'success', output: 'Report.', runId: 'call-1' }])
    expect(state.blocks.at(-2)).toMatchObject({
      type: 'user_message',
      id: 'msg_50-p',
      origin: 'notification',
      content: output,
    })
    expect(issues).toEqual([])
    expect(ending).toBe('finished')
  })

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

  it('may be resumed in the background, and completes with the next notification', () => {
    const again = taskTarget(child.id, { prompt: 'Go on.', task_id: child.id })
    const { state, reducerIssues } = readBoth(
      ...launched,
      ...notified(taskOutput(child.id, 'First.')),
      main.assistantStart('msg_60'),
      main.task('msg_60', 'call-2', running(again)),
      main.task('msg_60', 'call-2', completed(taskOutput(child.id, 'Wait.', 'running'), again)),
      main.assistantEnd('msg_60', { finish: 'tool-calls' }),
      ...notified(taskOutput(child.id, 'Second.'), 'msg_70'),
      ...answer,
    )
    expect(state.subagents).toMatchObject([{ status: 'success', runId: 'call-2', output: 'Second.' }])
    expect(reducerIssues).toEqual([])
  })
})
