import { describe, expect, it } from 'vitest'
import { ofType } from '../../recordings.ts'
import {
  type Message,
  modelAnswers,
  modelCalls,
  modelLaunches,
  readOpenFiles,
  toolResult,
  userMessage,
} from '../messages.ts'

const SPAWN_TEXT = 'Spawned successfully.\nagent_id: checker@team-1\nname: checker'
const spawned: readonly Message[] = [
  userMessage('Go.'),
  modelLaunches('m1', 't1', { name: 'checker' }),
  toolResult('t1', SPAWN_TEXT, {
    tool_use_result: {
      status: 'teammate_spawned',
      teammate_id: 'checker@team-1',
      agent_id: 'checker@team-1',
      agent_type: 'reviewer',
      prompt: 'Do t1.',
    },
  }),
]
const answer = modelAnswers('m9', 'It works.')
const teammateMessage = (body: string): Message =>
  userMessage(`<teammate-message teammate_id="checker" color="blue">\n${body}\n</teammate-message>`)
const idle = (fields: Message = {}) =>
  teammateMessage(JSON.stringify({ type: 'idle_notification', from: 'checker', ...fields }))

const read = (...lines: readonly Message[]) => readOpenFiles([...spawned, ...lines, answer])

describe('a teammate', () => {
  it.each([
    ['bare', teammateMessage('I looked.')],
    [
      'after a sentence of the program',
      userMessage(
        'Another Claude session sent a message:\n<agent-message from="checker">\nHi.\n</agent-message>',
      ),
    ],
  ])('writes messages that are not the person’s: %s', (_, message) => {
    const { state } = read(message)
    expect(ofType(state, 'user_message').map(({ origin }) => origin)).toEqual([undefined, 'notification'])
  })

  it('runs again when a message is sent to it', () => {
    const { state } = read(
      idle(),
      modelCalls('m2', 's1', 'SendMessage', { to: 'checker', message: 'More.' }),
      toolResult('s1', 'Sent.', { tool_use_result: { success: true, routing: { target: '@checker' } } }),
    )
    expect(state.subagents).toMatchObject([{ toolUseId: 't1', status: 'running' }])
  })
})

describe('the end of a teammate', () => {
  const from = (sender: string, body: Message) =>
    userMessage(`<teammate-message teammate_id="${sender}">\n${JSON.stringify(body)}\n</teammate-message>`)

  it.each([
    ['names it', from('checker', { type: 'idle_notification', result: 'a < b' })],
    ['has its id', from('checker@team-1', { type: 'idle_notification' })],
    ['names it inside', from('', { type: 'idle_notification', from: 'checker' })],
    [
      'is that of the program',
      from('system', { type: 'teammate_terminated', message: 'checker has shut down.' }),
    ],
  ])('is reported by a message that %s', (_, message) => {
    expect(read(message).state.subagents).toMatchObject([{ status: 'success' }])
  })

  it('is not reported by a message about another one', () => {
    const other = from('system', { type: 'teammate_terminated', message: 'checker-2 has shut down.' })
    expect(read(other).state.subagents).toMatchObject([{ status: 'running' }])
  })
})

it('the file of a teammate shows when the teammate rests, and when it goes on', () => {
  const lines = [
    userMessage('<teammate-message teammate_id="team-lead">\nDo t1.\n</teammate-message>'),
    modelAnswers('m5', 'Ready.'),
    userMessage('<teammate-message teammate_id="anna" color="blue">\nUse blue.\n</teammate-message>'),
  ]
  const meta = { agentType: 'checker', taskKind: 'in_process_teammate' }
  const id = 'achecker-00c0ffee00c0ffee'
  const rests = readOpenFiles([...spawned, answer], { [id]: { meta, lines: lines.slice(0, 2) } })
  expect(rests.state.subagents).toMatchObject([{ status: 'success', output: 'Ready.' }])
  const works = readOpenFiles([...spawned, answer], { [id]: { meta, lines } })
  expect(works.state.subagents).toMatchObject([{ status: 'running' }])
})
