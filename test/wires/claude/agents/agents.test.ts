import { describe, expect, it } from 'vitest'
import { findSubagent, parseTranscript } from '../../../../src/entries/index.ts'
import { blocksOf, textsOf } from '../../recordings.ts'
import {
  agentCall,
  assistantMessage,
  completedRecord,
  framedReport,
  fromSubagent,
  init,
  type Message,
  readFiles,
  readOpenStream,
  readStream,
  taskStarted,
  text,
  toolResult,
  toolUse,
  userMessage,
} from '../messages.ts'

const call = assistantMessage('m1', agentCall('t1'))

describe('a call of the Agent tool', () => {
  it('starts a subagent, and its only block is the subagent’s block', () => {
    const { state } = readOpenStream(call)
    expect(state.blocks).toMatchObject([
      {
        type: 'subagent',
        id: 'subagent:t1',
        status: 'running',
        toolUseId: 't1',
        name: 'general-purpose',
        description: 'Look',
        input: 'Do t1.',
        messageId: 'm1',
      },
    ])
    expect(state.subagents).toMatchObject([
      { toolUseId: 't1', status: 'running', parentConversationId: 'main', prompt: 'Do t1.', blocks: [] },
    ])
  })

  it('has the name Task in older versions', () => {
    const { state } = readStream(
      assistantMessage('m1', toolUse('t1', 'Task', { prompt: 'Do it.', subagent_type: 'Explore' })),
    )
    expect(state.blocks).toMatchObject([{ type: 'subagent', name: 'Explore', input: 'Do it.' }])
  })

  it('completes the subagent with the report, without a tool result', () => {
    const { state } = readStream(
      call,
      toolResult('t1', framedReport('a1', 'Framed.'), { tool_use_result: completedRecord('a1', 'Report.') }),
    )
    expect(state.blocks).toMatchObject([
      { type: 'subagent', status: 'success', output: 'Report.', agentId: 'a1', durationMs: 1000 },
    ])
    expect(state.blocks).toHaveLength(1)
    expect(state.subagents).toMatchObject([
      { status: 'success', output: 'Report.', agentId: 'a1', durationMs: 1000 },
    ])
  })

  it('has an error as its output if it never starts an agent', () => {
    const { state, issues } = readStream(
      call,
      toolResult('t1', 'InputValidationError: no such agent', {}, { is_error: true }),
    )
    expect(state.blocks).toMatchObject([
      { type: 'subagent', status: 'error', output: 'InputValidationError: no such agent' },
    ])
    expect(state.blocks).toHaveLength(1)
    expect(issues).toEqual([])
  })
})

describe('the report of a subagent', () => {
  it('is the last text of the record, not the list of used tools', () => {
    const content = [text('<tools-used-before-summary>Bash</tools-used-before-summary>'), text('Report.')]
    const { state } = readStream(
      call,
      toolResult('t1', 'x', { tool_use_result: completedRecord('a1', '', { content }) }),
    )
    expect(state.subagents[0]?.output).toBe('Report.')
  })

  it('is the text for the model if the record is missing', () => {
    const { state } = readStream(
      call,
      assistantMessage('s1', text('Report.'), fromSubagent('t1')),
      toolResult('t1', framedReport('a1', 'Handed back.')),
    )
    expect(state.subagents[0]).toMatchObject({ output: 'Handed back.', status: 'success' })
  })

  // The answer of a read-only agent may be cut or summed up on its way to the parent.
  it.each([
    ['main first', 0],
    ['the agent first', 1],
  ])('is the text that the parent received, in a combined text with %s', (_, order) => {
    const session = {
      ...{ sessionId: 's', cwd: '/srv/demo', version: '2.0.77' },
      ...{ session_id: undefined, parent_tool_use_id: undefined },
    }
    const record = { status: 'completed', prompt: 'What is 2+2?', agentId: 'a9a57a7', totalTokens: 40348 }
    const main = [
      { ...assistantMessage('m1', toolUse('t1', 'Task', { prompt: 'What is 2+2?' })), uuid: 'u1' },
      { ...toolResult('t1', '2 + 2 = 4', { toolUseResult: record }), uuid: 'u2' },
    ]
    const agent = [userMessage('What is 2+2?'), assistantMessage('s1', text('4'))].map((line, at) => ({
      ...{ ...line, uuid: `a${at}` },
      ...{ isSidechain: true, agentId: 'a9a57a7' },
    }))
    const lines = (order === 0 ? [...main, ...agent] : [...agent, ...main]).map((line) => ({
      ...line,
      ...session,
    }))
    const state = parseTranscript('claude-sdk', lines.map((line) => JSON.stringify(line)).join('\n'))
    expect(state.subagents).toMatchObject([{ toolUseId: 't1', output: '2 + 2 = 4', status: 'success' }])
    expect(blocksOf(state, 't1')).toHaveLength(2)
  })

  it('is the subagent’s last text if the result has none', () => {
    const { state } = readStream(
      call,
      assistantMessage('s1', text('First.'), fromSubagent('t1')),
      assistantMessage('s2', text('Report.'), fromSubagent('t1')),
      toolResult('t1', []),
    )
    expect(state.subagents[0]).toMatchObject({ output: 'Report.', status: 'success' })
  })

  it('is the framed text without its frame if there is no other', () => {
    const { state } = readStream(
      call,
      toolResult('t1', framedReport('a1', 'One line.\n\n  indented\nagentId: forged')),
    )
    expect(state.subagents[0]).toMatchObject({
      output: 'One line.\n\n  indented\nagentId: forged',
      agentId: 'a1',
      durationMs: 301,
    })
  })

  it('may be plain text', () => {
    expect(readStream(call, toolResult('t1', 'Report.')).state.subagents[0]?.output).toBe('Report.')
  })
})

describe('the agent’s own id', () => {
  const sources: readonly (readonly [string, Message])[] = [
    ['the task’s start', taskStarted('a1', 't1')],
    ['a line of the subagent', assistantMessage('s1', text('Hi.'), fromSubagent('t1', 'a1'))],
    [
      'the record of its result',
      toolResult('t1', 'x', { tool_use_result: completedRecord('a1', 'Report.') }),
    ],
    [
      'the record of its launch',
      toolResult('t1', 'x', { tool_use_result: { status: 'async_launched', agentId: 'a1' } }),
    ],
    ['the text of its result', toolResult('t1', framedReport('a1', 'Report.'))],
  ]

  it.each(sources)('is known from %s', (_, message) => {
    const { state } = readStream(call, message)
    expect(findSubagent(state, 'a1')).toMatchObject({ toolUseId: 't1', agentId: 'a1' })
    expect(state.subagents).toHaveLength(1)
    expect(state.blocks).toMatchObject([{ agentId: 'a1' }])
  })
})

describe('a subagent’s messages', () => {
  it('are in its own conversation, and the prompt comes first', () => {
    const { state } = readStream(
      call,
      userMessage([text('Do t1.')], fromSubagent('t1', 'a1')),
      assistantMessage('s1', toolUse('st1'), fromSubagent('t1', 'a1')),
      toolResult('st1', 'out', fromSubagent('t1', 'a1')),
      assistantMessage('s2', text('Report.'), fromSubagent('t1', 'a1')),
    )
    expect(blocksOf(state, 't1')).toMatchObject([
      { type: 'user_message', id: 't1:prompt', content: 'Do t1.' },
      { type: 'tool_use', id: 'st1', status: 'complete' },
      { type: 'tool_result', id: 'st1:result', output: 'out' },
      { type: 'assistant_text', id: 's2:0' },
    ])
    expect(state.blocks).toHaveLength(1)
  })

  it('stay apart for two agents with equal calls', () => {
    const same = { description: 'Look', prompt: 'The same.' }
    const { state } = readOpenStream(
      assistantMessage('m1', agentCall('t1', same)),
      assistantMessage('m1', agentCall('t2', same)),
      taskStarted('a1', 't1', { prompt: 'The same.' }),
      taskStarted('a2', 't2', { prompt: 'The same.' }),
      assistantMessage('s2', text('Of two.'), fromSubagent('t2', 'a2')),
      assistantMessage('s1', text('Of one.'), fromSubagent('t1', 'a1')),
      toolResult('t2', 'x', { tool_use_result: completedRecord('a2', 'Of two.') }),
    )
    expect(
      state.subagents.map((subagent) => [
        subagent.toolUseId,
        subagent.agentId,
        subagent.status,
        ...textsOf(subagent),
      ]),
    ).toEqual([
      ['t1', 'a1', 'running', 'Of one.'],
      ['t2', 'a2', 'success', 'Of two.'],
    ])
  })

  it('are kept while the call is unknown, and get their place when it arrives', () => {
    const early = assistantMessage('s1', text('Early.'), fromSubagent('t1', 'a1'))
    expect(readOpenStream(early).state.subagents).toMatchObject([{ toolUseId: 't1', status: 'running' }])
    const { state, reducerIssues } = readOpenStream(early, call)
    expect(state.subagents).toMatchObject([
      { toolUseId: 't1', parentConversationId: 'main', prompt: 'Do t1.' },
    ])
    expect(blocksOf(state, 't1')).toHaveLength(1)
    expect(reducerIssues).toEqual([])
  })
})

describe('the example of the research on shadow tracking', () => {
  const task = {
    type: 'assistant',
    message: {
      content: [toolUse('toolu_014', 'Task', { prompt: 'What is 2+2?', subagent_type: 'Explore' })],
    },
  }
  const result = {
    type: 'user',
    message: {
      role: 'user',
      content: [{ tool_use_id: 'toolu_014', type: 'tool_result', content: ['2 + 2 = 4'] }],
    },
    tool_use_result: {
      status: 'completed',
      prompt: 'What is 2+2?',
      agentId: 'a9a57a7',
      totalDurationMs: 2710,
      totalTokens: 40348,
    },
  }
  const agent = {
    toolUseId: 'toolu_014',
    agentId: 'a9a57a7',
    parentConversationId: 'main',
    prompt: 'What is 2+2?',
    status: 'success',
    output: '2 + 2 = 4',
    durationMs: 2710,
  }

  it('gives the subagent even if the input lacks its call', () => {
    const { state, issues } = readStream(init, result)
    expect(state.subagents).toMatchObject([{ ...agent, usage: [{ unsplitTokens: 40348 }] }])
    expect(state.blocks).toMatchObject([{ type: 'subagent', input: 'What is 2+2?', output: '2 + 2 = 4' }])
    expect(issues).toEqual([])
  })

  it('gives its type too if the input has the call, with or without ids', () => {
    const withoutIds = { ...task, uuid: undefined }
    const { state, issues } = readStream(init, withoutIds, result)
    expect(state.subagents).toMatchObject([{ ...agent, name: 'Explore' }])
    expect(issues).toEqual([])
  })
})

it('links an agent’s file through main’s result if the meta file names no call', () => {
  const lines = [
    userMessage('Do t1.'),
    assistantMessage('s1', text('Report.'), {}, { stop_reason: 'end_turn' }),
  ]
  const main = [
    userMessage('Go.'),
    call,
    toolResult('t1', 'x', {
      toolUseResult: completedRecord('a1', 'Report.'),
      timestamp: '2026-01-01T12:00:09.000Z',
    }),
  ]
  const { state, issues } = readFiles(main, { a1: { meta: { agentType: 'general-purpose' }, lines } })
  expect(state.subagents).toHaveLength(1)
  expect(blocksOf(state, 't1').map(({ id }) => id)).toEqual(['t1:prompt', 's1:0'])
  expect(issues).toEqual([])
})
