import { describe, expect, it } from 'vitest'
import { claudeTranscript } from '../../../../src/wires/claude/files/session-files.ts'
import { ofType } from '../../recordings.ts'
import {
  assistantMessage,
  type Message,
  modelAnswers,
  modelCalls,
  readFiles,
  readOpenFiles,
  system,
  toolResult,
  toolUse,
  userMessage,
} from '../messages.ts'

const workflow = (call: string, runId: string): readonly Message[] => [
  assistantMessage(`m-${call}`, toolUse(call, 'Workflow', { script: 'agent()' })),
  toolResult(call, `Workflow launched in background. Task ID: w-${call}`, {
    tool_use_result: { status: 'async_launched', taskId: `w-${call}`, runId },
  }),
]
const FRAME =
  '[Workflow harness — computed task] The text was computed. The computed task text follows:\n  Find it.\n    At once.'
const answered = (id: string): readonly Message[] => [
  userMessage(FRAME),
  modelAnswers(`m-${id}`, `${id} found it.`),
]
const meta = (runId: string, fields: Message = {}): Message => ({
  agentType: 'workflow-subagent',
  runId,
  ...fields,
})
const answer = modelAnswers('m9', 'All is done.')
const notification = (call: string, status: string): Message =>
  userMessage(
    `<task-notification>\n<task-id>w-${call}</task-id>\n<tool-use-id>${call}</tool-use-id>\n<status>${status}</status>\n</task-notification>`,
  )

describe('the agents of a workflow', () => {
  it('stand below the call of their run, in the order of their starts', () => {
    const { state, issues } = readFiles(
      [userMessage('Go.'), ...workflow('t1', 'wf_1'), ...workflow('t2', 'wf_2'), answer],
      {
        b1: { meta: meta('wf_2', { description: 'second' }), lines: answered('b1') },
        a1: { meta: meta('wf_1', { description: 'first', workflowPhase: 'Find' }), lines: answered('a1') },
        a2: { meta: meta('wf_1'), lines: answered('a2') },
      },
    )
    expect(
      state.blocks
        .map(({ id }) => id)
        .filter((id) => !id.startsWith('main'))
        .join(' '),
    ).toBe('t1 subagent:a1 subagent:a2 t1:result t2 subagent:b1 t2:result m9:0')
    expect(state.subagents.find(({ toolUseId }) => toolUseId === 'a1')).toMatchObject({
      name: 'first',
      phase: 'Find',
      launchedBy: 't1',
      prompt: 'Find it.\n  At once.',
      status: 'success',
      output: 'a1 found it.',
    })
    expect(issues).toEqual([])
  })

  it('end with the report of the workflow, if they have no answer', () => {
    const lines = [userMessage('Go.'), ...workflow('t1', 'wf_1'), answer]
    const agents = { a1: { meta: meta('wf_1'), lines: answered('a1').slice(0, 1) } }
    const running = readOpenFiles(lines, agents).state
    expect(running.subagents).toMatchObject([{ status: 'running' }])
    const { state } = readFiles([...lines, notification('t1', 'failed'), answer], agents)
    expect(state.subagents).toMatchObject([{ status: 'error' }])
    expect(readFiles(lines, agents).issues).toMatchObject([{ code: 'unfinished-subagent', toolUseId: 'a1' }])
  })

  it('end with the output that the script asks for', () => {
    const lines = [
      userMessage('Find it.'),
      modelCalls('m-a1', 's1', 'StructuredOutput', { found: true }),
      toolResult('s1', 'Structured output provided successfully'),
    ]
    const { state, issues } = readFiles([userMessage('Go.'), ...workflow('t1', 'wf_1'), answer], {
      a1: { meta: meta('wf_1'), lines },
    })
    expect(state.subagents).toMatchObject([{ status: 'success' }])
    expect(issues).toEqual([])
  })
})

it('takes label and phase of an agent from the file of the run, if its own file lacks them', () => {
  const { subagents } = claudeTranscript({
    'p/s1.jsonl': '{"type":"user","uuid":"u1","message":{"role":"user","content":"Go."}}',
    'p/s1/subagents/workflows/wf_1/agent-a1.jsonl': '{"type":"user","agentId":"a1"}',
    'p/s1/subagents/workflows/wf_1/agent-a1.meta.json': '{"agentType":"workflow-subagent"}',
    'p/s1/subagents/workflows/wf_1/agent-a2.jsonl': '{"type":"user","agentId":"a2"}',
    'p/s1/workflows/wf_1.json': JSON.stringify({
      workflowProgress: [{ type: 'workflow_agent', agentId: 'a1', label: 'one', phaseTitle: 'Find' }],
    }),
  })
  expect(subagents.map(({ id, meta = '' }) => [id, JSON.parse(meta)])).toEqual([
    ['a1', { agentType: 'workflow-subagent', description: 'one', workflowPhase: 'Find', runId: 'wf_1' }],
    ['a2', { runId: 'wf_1' }],
  ])
})

it('takes the agents that a fork names from the folder of its session, with their children', () => {
  const call = (id: string) => `{"type":"assistant","message":{"content":[{"type":"tool_use","id":"${id}"}]}}`
  const { subagents } = claudeTranscript({
    'p/fork.jsonl': call('t1'),
    'p/old/subagents/agent-a1.jsonl': call('t2'),
    'p/old/subagents/agent-a1.meta.json': '{"toolUseId":"t1"}',
    'p/old/subagents/agent-a2.jsonl': call('t9'),
    'p/old/subagents/agent-a2.meta.json': '{"toolUseId":"t2"}',
    'p/old/subagents/agent-a3.jsonl': call('t9'),
    'p/old/subagents/agent-a3.meta.json': '{"toolUseId":"t3"}',
  })
  expect(subagents.map(({ id }) => id)).toEqual(['a1', 'a2'])
})

describe('an agent of the background', () => {
  const report =
    '<task-notification>\n<task-id>a7</task-id>\n<tool-use-id>t7</tool-use-id>\n<status>completed</status>\n<summary>Agent "Look" finished</summary>\n<result>Seen.</result>\n</task-notification>'

  it('stands where its report is, if the input lacks its call', () => {
    const { state, issues } = readFiles([userMessage('Go.'), answer, userMessage(report), answer])
    expect(state.subagents).toMatchObject([
      {
        toolUseId: 't7',
        agentId: 'a7',
        parentConversationId: 'main',
        description: 'Look',
        status: 'success',
        output: 'Seen.',
      },
    ])
    expect(issues).toEqual([])
  })

  it('has ended when the program has killed all of them', () => {
    const { state, issues } = readFiles([
      userMessage('Go.'),
      modelCalls('m1', 't1', 'Agent', { prompt: 'Look.' }),
      toolResult('t1', 'Async agent launched successfully.', {
        tool_use_result: { isAsync: true, status: 'async_launched', agentId: 'a1' },
      }),
      answer,
      system('agents_killed'),
    ])
    expect(state.subagents).toMatchObject([{ status: 'error' }])
    expect(issues).toEqual([])
    expect(ofType(state, 'subagent')).toHaveLength(1)
  })
})
