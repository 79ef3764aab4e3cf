import { describe, expect, it } from 'vitest'
import {
  agentCall,
  assistantMessage,
  endTurn,
  readFiles,
  text,
  toolResult,
  toolUse,
  userMessage,
} from '../messages.ts'

const call = assistantMessage('m1', toolUse('t1'))
const answer = assistantMessage('m2', text('Done.'), {}, endTurn)

// Lines are written at once by several parts of the program, so a result may overtake its call.
describe('a result whose line stands before that of its call', () => {
  it('makes a failed call an error', () => {
    const result = toolResult('t1', 'no', {}, { is_error: true })
    const { state } = readFiles([userMessage('Go.'), result, call])
    expect(state.blocks[2]).toMatchObject({ type: 'tool_use', status: 'error' })
  })

  it('ends the agent of its call, and is no block', () => {
    const lines = [toolResult('t1', 'Report.'), assistantMessage('m1', agentCall('t1')), answer]
    const { state, issues } = readFiles([userMessage('Go.'), ...lines])
    expect(state.subagents).toMatchObject([{ toolUseId: 't1', status: 'success', output: 'Report.' }])
    expect(state.blocks.map(({ type }) => type)).toEqual(['user_message', 'subagent', 'assistant_text'])
    expect(issues).toEqual([])
  })
})
