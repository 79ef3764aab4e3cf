import { describe, expect, it } from 'vitest'
import { ofType } from '../../recordings.ts'
import {
  LAUNCH_TEXT,
  launchedRecord,
  type Message,
  modelAnswers,
  modelCalls,
  modelLaunches,
  readFiles,
  readOpenFiles,
  taskNotificationMessage,
  text,
  toolResult,
  userMessage,
} from '../messages.ts'

const launched: readonly Message[] = [
  userMessage('Go.'),
  modelLaunches('m1', 't1', { run_in_background: true }),
  toolResult('t1', LAUNCH_TEXT, { tool_use_result: launchedRecord('a1') }),
]
const answer = modelAnswers('m9', 'Done.')
const notificationText = String(Reflect.get(Object(taskNotificationMessage('a1', 't1').message), 'content'))
const enqueue = (content: string): Message => ({ type: 'queue-operation', operation: 'enqueue', content })

/** Reads main's file: the launch, these lines, and main's answer. */
const read = (...lines: readonly Message[]) => readFiles([...launched, ...lines, answer])
/** The session before the end of the input. */
const readOpen = (...lines: readonly Message[]) => readOpenFiles([...launched, ...lines, answer])

/** A `TaskOutput` call and its result, with the tool's record (main) or the text alone (a subagent). */
const taskOutput = (content: string, record?: Message): readonly Message[] => [
  modelCalls('m2', 'o1', 'TaskOutput', { task_id: 'a1', block: true }),
  toolResult('o1', content, record && { tool_use_result: record }),
]

const outputText = (status: string, output: string): string =>
  [
    '<retrieval_status>success</retrieval_status>',
    '<task_id>a1</task_id>',
    '<task_type>local_agent</task_type>',
    `<status>${status}</status>`,
    `<output>\n${output}\n</output>`,
  ].join('\n\n')

const outputRecord = (status: string, output: string): Message => ({
  retrieval_status: 'success',
  task: { task_id: 'a1', task_type: 'local_agent', status, output },
})

describe('the end of a background agent', () => {
  // The program may hand both to the model at once.
  it.each([
    ['one text', `${notificationText}\n\nLook at this.`],
    ['two parts', [text(notificationText), text('Look at this.')]],
  ])('keeps the words of the person apart that follow it: %s', (_, content) => {
    const { state } = readOpen(userMessage(content))
    expect(state.subagents).toMatchObject([{ status: 'success' }])
    expect(ofType(state, 'user_message').map((block) => [block.origin, block.content])).toEqual([
      [undefined, expect.any(String)],
      ['notification', notificationText],
      [undefined, 'Look at this.'],
    ])
  })

  it.each([
    ['a task notification', notificationText, 'success'],
    ['a failed task', notificationText.replace('completed', 'failed'), 'error'],
    [
      'the agent notification of 2.0.76',
      '<agent-notification>\n<agent-id>a1</agent-id>\n<status>completed</status>\n</agent-notification>',
      'success',
    ],
  ])('is the queued report: %s', (_, content, status) => {
    const { state, issues } = read(enqueue(content))
    expect(state.subagents).toMatchObject([{ status }])
    expect(issues).toEqual([])
  })

  // In 2.0.76, nothing else states the end.
  it.each([
    ['completed', 'success'],
    ['failed', 'error'],
    ['killed', 'error'],
    ['running', 'running'],
  ])('is the result of TaskOutput: %s', (reported, status) => {
    const output = '[Tool: Bash] {}\n\n--- RESULT ---\nReport.'
    const ways = [
      taskOutput(outputText(reported, output)),
      taskOutput('x', outputRecord(reported, output)),
      taskOutput('x', { retrieval_status: 'success', agents: { a1: { status: reported, output } } }),
    ]
    for (const lines of ways) {
      const { state } = readOpen(...lines)
      expect(state.subagents).toMatchObject([{ status }])
      expect(state.subagents[0]?.output).toBe(reported === 'running' ? undefined : 'Report.')
    }
  })

  it('is no stop that failed, and no stop of a shell command', () => {
    const bash = { message: 'Successfully stopped task: a1', task_id: 'a1', task_type: 'local_bash' }
    const { state } = readOpen(
      modelCalls('m2', 's1', 'TaskStop', { task_id: 'a1' }),
      toolResult('s1', 'Task a1 is not running', { tool_use_result: 'Error' }, { is_error: true }),
      modelCalls('m3', 's2', 'TaskStop', { task_id: 'a1' }),
      toolResult('s2', JSON.stringify(bash), { tool_use_result: bash }),
    )
    expect(state.subagents).toMatchObject([{ status: 'running' }])
  })
})
