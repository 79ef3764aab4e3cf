import { describe, expect, it } from 'vitest'
import {
  answer,
  child,
  completed,
  delegation,
  type Message,
  main,
  pending,
  prompt,
  readOpenEvents,
  running,
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

  it('ignores the report of an earlier run', () => {
    const [first] = delegation.filter((event) => JSON.stringify(event).includes('task_result'))
    const { state } = readOpenEvents(...resumed, first ?? {})
    expect(state.subagents).toMatchObject([{ status: 'running', runId: 'call-2' }])
  })
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
