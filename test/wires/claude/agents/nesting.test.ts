import { describe, expect, it } from 'vitest'
import { buildSessionTree, findSubagent } from '../../../../src/entries/index.ts'
import { blocksOf, textsOf } from '../../recordings.ts'
import {
  agentCall,
  assistantMessage,
  completedRecord,
  framedReport,
  fromSubagent,
  LAUNCH_TEXT,
  type Message,
  readFiles,
  readOpenStream,
  readStream,
  taskNotified,
  taskStarted,
  taskUpdated,
  text,
  toolResult,
  userMessage,
} from '../messages.ts'

const inOuter = fromSubagent('outer', 'ao')
const inInner = fromSubagent('inner', 'ai')
const callOuter = assistantMessage('m1', agentCall('outer'))
const callInner = assistantMessage('o1', agentCall('inner'), inOuter)
const startOuter = taskStarted('ao', 'outer')
const startInner = taskStarted('ai', 'inner', { spawn_depth: 2, parent_task_id: 'ao' })
const innerResult = toolResult('inner', framedReport('ai', 'INNER'), inOuter)
const outerResult = toolResult('outer', 'x', { tool_use_result: completedRecord('ao', 'OUTER') })

/** The lineage of a session: each agent's id, its parent's id and its status. */
const lineage = (...messages: readonly Message[]) =>
  readStream(...messages).state.subagents.map(({ toolUseId, parentConversationId, status }) => [
    toolUseId,
    parentConversationId,
    status,
  ])

const ended = [
  ['outer', 'main', 'success'],
  ['inner', 'outer', 'success'],
]

describe('an agent within an agent', () => {
  it('is under its direct parent, with its block there', () => {
    const { state, reducerIssues } = readStream(
      callOuter,
      startOuter,
      callInner,
      startInner,
      userMessage([text('Do inner.')], inInner),
      assistantMessage('i1', text('INNER'), inInner),
      innerResult,
      assistantMessage('o2', text('OUTER'), inOuter),
      outerResult,
    )
    expect(blocksOf(state, 'outer')).toMatchObject([
      { type: 'subagent', id: 'subagent:inner', status: 'success', output: 'INNER', agentId: 'ai' },
      { type: 'assistant_text', content: 'OUTER' },
    ])
    expect(state.blocks).toHaveLength(1)
    expect(findSubagent(state, 'inner')).toMatchObject({ parentConversationId: 'outer', status: 'success' })
    expect(buildSessionTree(state).children).toMatchObject([
      { conversationId: 'outer', children: [{ conversationId: 'inner' }] },
    ])
    expect(reducerIssues).toEqual([])
  })

  it('is known from task messages alone, if the stream forwards nothing else', () => {
    const { state, issues } = readStream(
      callOuter,
      startOuter,
      callInner,
      startInner,
      taskUpdated('ai', 'completed'),
      taskNotified('ai', 'inner', { summary: 'INNER' }),
      innerResult,
      outerResult,
    )
    expect(findSubagent(state, 'ai')).toMatchObject({
      parentConversationId: 'outer',
      output: 'INNER',
      prompt: 'Do inner.',
    })
    expect(blocksOf(state, 'inner')).toEqual([])
    expect(issues).toEqual([])
  })

  it('is known even if its call is not in the stream', () => {
    const { state, issues } = readStream(
      callOuter,
      startOuter,
      startInner,
      taskNotified('ai', 'inner', { summary: 'INNER' }),
      outerResult,
    )
    expect(blocksOf(state, 'outer')).toMatchObject([
      { type: 'subagent', toolUseId: 'inner', output: 'INNER' },
    ])
    expect(findSubagent(state, 'inner')).toMatchObject({ parentConversationId: 'outer', status: 'success' })
    expect(issues).toEqual([])
  })

  it('finds its parent in any order of the messages', () => {
    const rest = [innerResult, outerResult]
    expect(lineage(callOuter, startOuter, startInner, callInner, ...rest)).toEqual(ended)
    expect(lineage(callOuter, startOuter, callInner, startInner, ...rest)).toEqual(ended)
    expect(lineage(callOuter, startInner, startOuter, callInner, ...rest)).toEqual(ended)
  })

  it('finds its parent even if only the parent’s agent id is known', () => {
    const { state, reducerIssues } = readStream(startInner, callOuter, startOuter, innerResult, outerResult)
    expect(state.subagents).toHaveLength(2)
    expect(findSubagent(state, 'inner')?.parentConversationId).toBe('outer')
    expect(findSubagent(state, 'outer')).toMatchObject({ agentId: 'ao', parentConversationId: 'main' })
    expect(reducerIssues).toEqual([])
  })

  it('may end after its parent, or be one of several', () => {
    const { state, issues } = readOpenStream(
      callOuter,
      startOuter,
      assistantMessage('o1', agentCall('inner', { run_in_background: true }), inOuter),
      assistantMessage('o1', agentCall('twin', { run_in_background: true }), inOuter),
      startInner,
      taskStarted('at', 'twin', { spawn_depth: 2, parent_task_id: 'ao' }),
      toolResult('inner', LAUNCH_TEXT, inOuter),
      toolResult('twin', LAUNCH_TEXT.replace('a1', 'at'), inOuter),
      outerResult,
      taskNotified('at', 'twin', { summary: 'TWIN', summary_is_report: true }),
    )
    expect(state.subagents.map(({ toolUseId, status }) => [toolUseId, status])).toEqual([
      ['outer', 'success'],
      ['inner', 'running'],
      ['twin', 'success'],
    ])
    expect(issues).toMatchObject([{ code: 'unfinished-subagent', toolUseId: 'inner' }])
  })

  it('may be at any depth', () => {
    const depth = 40
    const levels = Array.from({ length: depth }, (_, at) => `t${at}`)
    const calls = levels.map((id, at) =>
      assistantMessage(`m${at}`, agentCall(id), at === 0 ? {} : fromSubagent(`t${at - 1}`, `a${at - 1}`)),
    )
    const { state } = readStream(
      ...calls,
      assistantMessage('deep', text('Here.'), fromSubagent(`t${depth - 1}`)),
    )
    expect(state.subagents.map(({ parentConversationId }) => parentConversationId)).toEqual([
      'main',
      ...levels.slice(0, -1),
    ])
    expect(textsOf({ blocks: blocksOf(state, `t${depth - 1}`), usage: [] })).toEqual(['Here.'])
  })
})

describe('nested agents in the files', () => {
  const main = [
    userMessage('Go.'),
    callOuter,
    toolResult('outer', 'x', { toolUseResult: completedRecord('ao', 'OUTER') }),
  ]
  const outerLines = [
    userMessage('Do outer.'),
    assistantMessage('o1', agentCall('inner')),
    toolResult('inner', framedReport('ai', 'INNER'), { timestamp: '2026-01-01T12:00:18.000Z' }),
    assistantMessage('o2', text('OUTER'), { timestamp: '2026-01-01T12:00:19.000Z' }),
  ]
  const innerLines = [
    userMessage('Do inner.', { timestamp: '2026-01-01T12:00:13.000Z' }),
    assistantMessage('i1', text('INNER'), { timestamp: '2026-01-01T12:00:14.000Z' }),
  ]
  const outerMeta = { agentType: 'general-purpose', toolUseId: 'outer', spawnDepth: 1 }
  const innerMeta = { agentType: 'general-purpose', toolUseId: 'inner', spawnDepth: 2 }

  it.each<[string, Message]>([
    ['if the meta file names the parent', { ...innerMeta, parentAgentId: 'ao' }],
    ['if only the parent’s file holds the call', innerMeta],
  ])('are linked %s', (_, meta) => {
    const { state, issues, reducerIssues } = readFiles(main, {
      // The order of the files is not their order in time.
      ai: { meta, lines: innerLines },
      ao: { meta: outerMeta, lines: outerLines },
    })
    expect(
      state.subagents.map(({ toolUseId, parentConversationId, agentId, status, output }) => [
        toolUseId,
        parentConversationId,
        agentId,
        status,
        output,
      ]),
    ).toEqual([
      ['outer', 'main', 'ao', 'success', 'OUTER'],
      ['inner', 'outer', 'ai', 'success', 'INNER'],
    ])
    expect(blocksOf(state, 'outer').map(({ id }) => id)).toEqual(['outer:prompt', 'subagent:inner', 'o2:0'])
    expect(blocksOf(state, 'inner').map(({ id }) => id)).toEqual(['inner:prompt', 'i1:0'])
    expect([...issues, ...reducerIssues]).toEqual([])
  })
})
