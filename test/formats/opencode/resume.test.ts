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
