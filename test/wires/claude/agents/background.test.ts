import { describe, expect, it } from 'vitest'
import {
  assistantMessage,
  fromSubagent,
  init,
  LAUNCH_TEXT,
  launchedRecord,
  type Message,
  modelCalls,
  modelLaunches,
  modelSays,
  readFiles,
  readOpenFiles,
  readOpenStream,
  readStream,
  taskNotificationMessage,
  taskNotified,
  taskStarted,
  taskUpdated,
  text,
  toolResult,
  turnResult,
  userMessage,
} from '../messages.ts'

const call = modelLaunches('m1', 't1', { run_in_background: true })
const started = taskStarted('a1', 't1', { is_backgrounded: true })
const launch = toolResult('t1', LAUNCH_TEXT, { tool_use_result: launchedRecord('a1') })
const report = taskNotified('a1', 't1', { summary: 'Report.', summary_is_report: true })

describe('the launch of a background agent', () => {
  const ways: readonly (readonly [string, readonly Message[]])[] = [
    [
      'from the record',
      [modelLaunches('m1', 't1'), toolResult('t1', 'x', { tool_use_result: launchedRecord('a1') })],
    ],
    ['from its text alone', [modelLaunches('m1', 't1'), toolResult('t1', LAUNCH_TEXT)]],
    ['from the task’s start', [modelLaunches('m1', 't1'), started, toolResult('t1', 'Started.')]],
  ]

  it.each(ways)('does not complete the agent: known %s', (_, messages) => {
    const { state, issues } = readOpenStream(...messages)
    expect(state.subagents).toMatchObject([{ toolUseId: 't1', status: 'running' }])
    expect(state.subagents[0]).not.toHaveProperty('output')
    expect(state.blocks).toMatchObject([{ type: 'subagent', status: 'running' }])
    expect(issues).toMatchObject([{ code: 'unfinished-subagent', toolUseId: 't1' }])
  })
})

describe('a background agent', () => {
  it('runs on after the turn that started it', () => {
    const { state } = readOpenStream(init, call, started, launch, modelSays('m2', 'It runs.'), turnResult())
    expect(state.subagents).toMatchObject([{ status: 'running' }])
    expect(state.blocks).toMatchObject([{ status: 'running' }, { status: 'complete' }])
  })

  it('has its last text as output if the summary only repeats the description', () => {
    const older = taskNotified('a1', 't1', { summary: 'Look' })
    const wrote = assistantMessage('s1', text('Report.'), fromSubagent('t1'))
    expect(readStream(call, started, launch, wrote, older).state.subagents[0]?.output).toBe('Report.')
    expect(readStream(call, started, launch, older).state.subagents[0]).not.toHaveProperty('output')
  })

  it('is known from task_started alone, without the call', () => {
    const { state } = readOpenStream(init, started)
    expect(state.subagents).toMatchObject([{ toolUseId: 't1', agentId: 'a1', parentConversationId: 'main' }])
    expect(state.blocks).toMatchObject([{ type: 'subagent', status: 'running', input: 'Do t1.' }])
  })

  it.each(['failed', 'killed', 'stopped'])('has not succeeded if its status is %s', (status) => {
    const notified = taskNotified('a1', 't1', { status, summary: 'It was stopped.' })
    const { state } = readStream(call, started, launch, taskUpdated('a1', status), notified)
    expect(state.subagents).toMatchObject([{ status: 'error', output: 'It was stopped.' }])
  })

  it('may report after others, and all results may come at the end', () => {
    const { state, ending, issues } = readStream(
      init,
      call,
      modelLaunches('m1', 't2', { run_in_background: true }),
      started,
      launch,
      taskStarted('a2', 't2', { is_backgrounded: true }),
      toolResult('t2', LAUNCH_TEXT, { tool_use_result: launchedRecord('a2') }),
      assistantMessage('m2', text('Both run.'), {}, { stop_reason: 'end_turn' }),
      taskNotified('a2', 't2', { summary: 'Two.', summary_is_report: true }),
      init,
      assistantMessage('m3', text('Two is done.'), {}, { stop_reason: 'end_turn' }),
      report,
      init,
      assistantMessage('m4', text('One is done.'), {}, { stop_reason: 'end_turn' }),
      turnResult(),
      turnResult(),
      turnResult(),
    )
    expect(state.subagents).toMatchObject([
      { toolUseId: 't1', output: 'Report.' },
      { toolUseId: 't2', output: 'Two.' },
    ])
    expect(ending).toBe('finished')
    expect(issues).toEqual([])
  })
})

// A file has the notification for the model. Its result is the last text, and signs of markup are entities there.
it.each([
  ['completed', 'Is 1 < 2 && 3 &lt; 4?', 'Agent "Look" finished', 'Is 1 < 2 && 3 &lt; 4?'],
  ['failed', 'It said: <no> "x"', 'Agent "Look" failed: It said: &lt;no&gt; "x"', 'It said: <no> "x"'],
  ['stopped', 'Look', 'Agent "Look" was stopped by user', 'Is 1 < 2 && 3 &lt; 4?'],
])('a background agent that has %s has one output, live and stored', (status, live, summary, output) => {
  const wrote = modelSays('s1', 'Is 1 < 2 && 3 &lt; 4?', fromSubagent('t1'))
  const notified = taskNotified('a1', 't1', { status, summary: live })
  const written = taskNotificationMessage('a1', 't1', {
    status: status === 'stopped' ? 'killed' : status,
    summary,
    result: 'Is 1 &lt; 2 &amp;&amp; 3 &amp;lt; 4?',
  })
  const states = [
    readStream(call, started, launch, wrote, taskUpdated('a1', status), notified),
    readFiles([userMessage('Go.'), call, toolResult('t1', LAUNCH_TEXT), written]),
  ]
  for (const { state } of states) expect(state.subagents).toMatchObject([{ output }])
})

it.each(['stopped', 'killed'])('a background agent without a text has no output: %s', (status) => {
  const message = taskNotificationMessage('a1', 't1', { status, summary: 'Agent "Look" was stopped by user' })
  const written = JSON.parse(JSON.stringify(message).replace(/<result>.*<\/result>/, ''))
  const { state } = readFiles([userMessage('Go.'), call, toolResult('t1', LAUNCH_TEXT), written])
  expect(state.subagents).toMatchObject([{ status: 'error' }])
  expect(state.subagents[0]).not.toHaveProperty('output')
})

describe('a notification in a file', () => {
  const main = (...rest: readonly Message[]) => [
    userMessage('Go.'),
    call,
    toolResult('t1', LAUNCH_TEXT, { toolUseResult: launchedRecord('a1') }),
    ...rest,
  ]

  it('may have a report that contains tags, even the notification’s own', () => {
    const result = 'It says <result>x</result>, <status>failed</status> and <duration_ms>5</duration_ms>.'
    const { state } = readFiles(main(taskNotificationMessage('a1', 't1', { result })))
    expect(state.subagents).toMatchObject([{ status: 'success', output: result, durationMs: 900 }])
  })

  it('is awaited if the agent’s meta file names the background', () => {
    const meta = { agentType: 'x', toolUseId: 't1', spawnDepth: 1, requestShape: 'background' }
    const { state } = readOpenFiles(
      [userMessage('Go.'), modelLaunches('m1', 't1'), toolResult('t1', 'Started.')],
      {
        a1: { meta, lines: [modelSays('s1', 'Hi.')] },
      },
    )
    expect(state.subagents).toMatchObject([{ status: 'running' }])
  })
})

it('a shell command in the background is a task, not an agent', () => {
  const bash = { task_type: 'local_bash', subagent_type: undefined, prompt: undefined }
  const { state, issues, reducerIssues } = readStream(
    modelCalls('m1', 'b1'),
    taskStarted('bash_1', 'b1', { ...bash, is_backgrounded: true }),
    toolResult('b1', 'Command running in background with ID: bash_1', {
      tool_use_result: { stdout: '', backgroundTaskId: 'bash_1' },
    }),
    taskUpdated('bash_1', 'completed'),
    taskNotified('bash_1', 'b1', { summary: 'Background command completed' }),
    turnResult(),
  )
  expect(state.subagents).toEqual([])
  expect(state.blocks.map(({ type, status }) => [type, status])).toEqual([
    ['tool_use', 'complete'],
    ['tool_result', 'complete'],
  ])
  expect([...issues, ...reducerIssues]).toEqual([])
})
