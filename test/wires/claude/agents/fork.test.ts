import { describe, expect, it } from 'vitest'
import { buildSessionTree } from '../../../../src/entries/index.ts'
import { blocksOf, ofType } from '../../recordings.ts'
import {
  agentCall,
  assistantMessage,
  LAUNCH_TEXT,
  launchedRecord,
  type Message,
  readFiles,
  readOpenFiles,
  taskNotificationMessage,
  text,
  toolResult,
  toolUse,
  userMessage,
} from '../messages.ts'

const usage = { usage: { input_tokens: 100, output_tokens: 10 }, stop_reason: 'tool_use' }
const parentText = assistantMessage('m1', text('I fork.'), {}, usage)
const parentTool = assistantMessage('m1', toolUse('bash1'), {}, usage)
const parentCall = assistantMessage('m1', agentCall('fork1', { subagent_type: 'fork' }), {}, usage)
const bashResult = toolResult('bash1', 'out')
const meta = { agentType: 'fork', toolUseId: 'fork1', spawnDepth: 1, requestShape: 'background' }
const context = { type: 'fork-context-ref', agentId: 'af', parentSessionId: 'session', contextLength: 4 }
const directive = userMessage('Your directive: look.')
const own = assistantMessage(
  'f1',
  text('FORKED'),
  {},
  { usage: { input_tokens: 5, output_tokens: 5 }, stop_reason: 'end_turn' },
)

/** The fork's file also has the parent's message, with the same ids and new uuids. */
const copies = [parentText, parentTool, parentCall]

const main = (...rest: readonly Message[]) => [
  userMessage('Go.'),
  { ...parentText, timestamp: '2026-01-01T12:00:01.000Z' },
  { ...parentTool, timestamp: '2026-01-01T12:00:02.000Z' },
  { ...parentCall, timestamp: '2026-01-01T12:00:03.000Z' },
  toolResult('fork1', LAUNCH_TEXT, {
    toolUseResult: launchedRecord('af'),
    timestamp: '2026-01-01T12:00:04.000Z',
  }),
  ...rest,
  taskNotificationMessage('af', 'fork1', { result: 'FORKED' }),
]

describe('a fork in the files', () => {
  const { state, issues, reducerIssues } = readFiles(
    main({ ...bashResult, timestamp: '2026-01-01T12:00:30.000Z' }),
    {
      af: { meta, lines: [context, ...copies, directive, own] },
    },
  )

  it('is one agent of main, and never its own child', () => {
    expect(state.subagents).toMatchObject([
      {
        toolUseId: 'fork1',
        agentId: 'af',
        name: 'fork',
        parentConversationId: 'main',
        status: 'success',
        output: 'FORKED',
      },
    ])
    expect(buildSessionTree(state).children).toMatchObject([{ conversationId: 'fork1', children: [] }])
    expect([...issues, ...reducerIssues]).toEqual([])
  })

  it('has its own copy of the parent’s message, under the same ids', () => {
    expect(blocksOf(state, 'fork1')[0]).toMatchObject({
      id: 'm1:0',
      content: 'I fork.',
      conversationId: 'fork1',
    })
    expect(blocksOf(state, 'main')[1]).toMatchObject({
      id: 'm1:0',
      content: 'I fork.',
      conversationId: 'main',
    })
    expect(blocksOf(state, 'fork1').filter(({ type }) => type === 'subagent')).toEqual([])
  })

  it('leaves the result of the parent’s tool call to the parent', () => {
    expect(ofType(state, 'tool_use')).toMatchObject([{ toolUseId: 'bash1', status: 'complete' }])
    expect(ofType(state, 'tool_result')).toMatchObject([{ toolUseId: 'bash1', output: 'out' }])
  })

  it('counts the parent’s tokens once', () => {
    const { usage } = buildSessionTree(state)
    expect(usage.total.final).toMatchObject({ messages: 2, inputTokens: 105, outputTokens: 15 })
  })

  it('has its own directive and texts after the copy', () => {
    expect(blocksOf(state, 'fork1').slice(-2)).toMatchObject([
      { type: 'user_message', content: 'Your directive: look.' },
      { type: 'assistant_text', content: 'FORKED' },
    ])
  })
})

it('a fork whose copy answers the parent’s calls runs on after the result of its own call', () => {
  const answered = userMessage([
    { type: 'tool_result', tool_use_id: 'bash1', content: 'out' },
    { type: 'tool_result', tool_use_id: 'fork1', content: 'The fork begins here.' },
    text('Your directive: look.'),
  ])
  const { requestShape, ...lessMeta } = meta
  const { state, issues } = readOpenFiles(main().slice(0, 5), {
    af: { meta: lessMeta, lines: [context, ...copies, answered, own] },
  })
  expect(state.subagents).toMatchObject([{ toolUseId: 'fork1', status: 'running' }])
  expect(blocksOf(state, 'fork1').map(({ id }) => id)).toEqual([
    'm1:0',
    'bash1',
    'bash1:result',
    'fork1:prompt',
    'f1:0',
  ])
  expect(ofType(state, 'tool_use')).toMatchObject([{ toolUseId: 'bash1', status: 'pending' }])
  expect(issues.map(({ code }) => code)).toEqual(['unfinished-subagent'])
})

it('does not put a fork under itself if its file is the whole input', () => {
  const { state, reducerIssues } = readFiles([], {
    af: { meta: { agentType: 'fork', toolUseId: 'fork1' }, lines: [context, parentCall, directive, own] },
  })
  expect(state.subagents).toMatchObject([{ toolUseId: 'fork1' }])
  expect(state.subagents[0]).not.toHaveProperty('parentConversationId')
  expect(reducerIssues).toEqual([])
})
