import { describe, expect, it } from 'vitest'
import {
  agentCall,
  assistantMessage,
  blockStart,
  completedRecord,
  fromSubagent,
  LAUNCH_TEXT,
  launchedRecord,
  type Message,
  messageStart,
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
  userMessage,
} from '../messages.ts'

const RESUMED = { success: true, resumedAgentId: 'a1' }
const inSubagent = fromSubagent('t1', 'a1')

const firstRun: readonly Message[] = [
  modelLaunches('m1', 't1'),
  taskStarted('a1', 't1'),
  assistantMessage('s1', text('COUNT-1'), inSubagent),
  taskUpdated('a1', 'completed'),
  taskNotified('a1', 't1', { summary: 'COUNT-1' }),
  toolResult('t1', 'x', { tool_use_result: completedRecord('a1', 'COUNT-1') }),
]
const sending = modelCalls('m2', 'send1', 'SendMessage', { to: 'a1', message: 'Next.' })
const sent = toolResult('send1', JSON.stringify(RESUMED), { tool_use_result: RESUMED })
const secondStart = taskStarted('a1', 'send1', { run_id: 'second', is_backgrounded: true, prompt: 'Next.' })
const secondReport = taskNotified('a1', 'send1', {
  run_id: 'second',
  summary: 'COUNT-2',
  summary_is_report: true,
})

describe('an agent that SendMessage resumes', () => {
  it('may fail in its second run', () => {
    const failed = taskNotified('a1', 'send1', { run_id: 'second', status: 'failed', summary: 'No.' })
    const { state } = readStream(...firstRun, sending, secondStart, sent, failed)
    expect(state.subagents).toMatchObject([{ status: 'error', output: 'No.' }])
  })

  it('stays completed if the result of SendMessage arrives after the end of the run', () => {
    const { state, issues } = readStream(...firstRun, sending, secondStart, secondReport, sent)
    expect(state.subagents).toMatchObject([{ status: 'success', output: 'COUNT-2' }])
    expect(issues).toEqual([])
  })
})

describe('a resume in the files', () => {
  const main = (...rest: readonly Message[]) => [
    userMessage('Go.'),
    modelLaunches('m1', 't1'),
    toolResult('t1', 'x', { toolUseResult: completedRecord('a1', 'COUNT-1') }),
    sending,
    toolResult('send1', 'ok', { toolUseResult: RESUMED }),
    ...rest,
  ]
  const coordinator = userMessage('The coordinator sent a message while you were working:\nNext.', {
    isMeta: true,
    timestamp: '2026-01-01T12:00:41.000Z',
  })
  const agent = {
    a1: {
      meta: { agentType: 'general-purpose', toolUseId: 't1', spawnDepth: 1, requestShape: 'foreground' },
      lines: [
        userMessage('Do t1.'),
        modelSays('s1', 'COUNT-1'),
        coordinator,
        modelSays('s2', 'COUNT-2', { timestamp: '2026-01-01T12:00:42.000Z' }),
      ],
    },
  }
  const notified = taskNotificationMessage('a1', 'send1', { result: 'COUNT-2', origin: { runId: 'second' } })

  it('continues the same agent, and the parent’s message is no second prompt', () => {
    const { state, issues, reducerIssues } = readFiles(main(notified), agent)
    expect(state.subagents).toMatchObject([{ toolUseId: 't1', status: 'success', output: 'COUNT-2' }])
    expect(state.subagents[0]?.blocks).toMatchObject([
      { id: 't1:prompt', content: 'Do t1.' },
      { id: 's1:0' },
      { type: 'user_message', origin: 'meta' },
      { id: 's2:0' },
    ])
    expect([...issues, ...reducerIssues]).toEqual([])
  })

  it('leaves the agent running if no line reports its end', () => {
    const { state, issues } = readOpenFiles(main(), agent)
    expect(state.subagents).toMatchObject([{ status: 'running', output: 'COUNT-1' }])
    expect(issues).toMatchObject([{ code: 'unfinished-subagent', toolUseId: 't1' }])
  })
})

describe('a call of Task that resumes an agent', () => {
  // From 2.0.60 to 2.1.70, `resume` names the agent.
  const first: readonly Message[] = [
    modelLaunches('m1', 't1'),
    toolResult('t1', 'x', { tool_use_result: completedRecord('a1', 'COUNT-1') }),
  ]
  const again = agentCall('t2', { resume: 'a1', prompt: 'Next.' })
  const lines = (...more: readonly Message[]) => [...first, assistantMessage('m2', again), ...more]
  const end = toolResult('t2', 'COUNT-2', { tool_use_result: completedRecord('a1', 'COUNT-2') })

  it.each([
    ['a file', (messages: readonly Message[]) => readFiles(messages)],
    ['a stream', (messages: readonly Message[]) => readStream(...messages)],
  ])('starts no second agent, and its result ends the run: %s', (_, read) => {
    const messages = lines(end)
    const { state, issues, reducerIssues } = read(messages)
    expect(state.subagents).toMatchObject([
      { toolUseId: 't1', agentId: 'a1', status: 'success', output: 'COUNT-2' },
    ])
    expect(state.blocks.map(({ type, id }) => [type, id])).toEqual([
      ['subagent', 'subagent:t1'],
      ['tool_use', 't2'],
      ['tool_result', 't2:result'],
    ])
    expect([...issues, ...reducerIssues]).toEqual([])
  })

  it('in the background, keeps it running until its notification', () => {
    const launch = toolResult('t2', LAUNCH_TEXT, { tool_use_result: launchedRecord('a1') })
    expect(readOpenStream(...lines(launch)).state.subagents).toMatchObject([{ status: 'running' }])
    const { subagents } = readOpenStream(...lines(launch, taskNotificationMessage('a1', 't2'))).state
    expect(subagents).toMatchObject([{ toolUseId: 't1', status: 'success', output: 'Report.' }])
  })

  it('takes back the agent that the beginning of its stream announced', () => {
    const { state } = readStream(
      ...first,
      messageStart('m2'),
      blockStart('m2', 0, { ...again, input: {} }),
      assistantMessage('m2', again),
      end,
    )
    expect(state.subagents.map(({ toolUseId }) => toolUseId)).toEqual(['t1'])
    expect(state.blocks.map(({ id }) => id)).toEqual(['subagent:t1', 't2', 't2:result'])
  })
})
