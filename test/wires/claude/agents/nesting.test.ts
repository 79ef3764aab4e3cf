import { describe, expect, it } from 'vitest'
import { findSubagent } from '../../../../src/entries/index.ts'
import { blocksOf } from '../../recordings.ts'
import {
  agentCall,
  assistantMessage,
  completedRecord,
  framedReport,
  fromSubagent,
  type Message,
  modelLaunches,
  readStream,
  taskNotified,
  taskStarted,
  toolResult,
} from '../messages.ts'

const inOuter = fromSubagent('outer', 'ao')
const callOuter = modelLaunches('m1', 'outer')
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
})
