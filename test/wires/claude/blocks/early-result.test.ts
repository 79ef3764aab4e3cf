import { describe, expect, it } from 'vitest'
import { modelAnswers, modelCalls, modelLaunches, readFiles, toolResult, userMessage } from '../messages.ts'

const call = modelCalls('m1', 't1')
const answer = modelAnswers('m2', 'Done.')

// Lines are written at once by several parts of the program, so a result may overtake its call.
describe('a result whose line stands before that of its call', () => {
  it('makes a failed call an error', () => {
    const result = toolResult('t1', 'no', {}, { is_error: true })
    const { state } = readFiles([userMessage('Go.'), result, call])
    expect(state.blocks[2]).toMatchObject({ type: 'tool_use', status: 'error' })
  })

  it('ends the agent of its call, and is no block', () => {
    const lines = [toolResult('t1', 'Report.'), modelLaunches('m1', 't1'), answer]
    const { state, issues } = readFiles([userMessage('Go.'), ...lines])
    expect(state.subagents).toMatchObject([{ toolUseId: 't1', status: 'success', output: 'Report.' }])
    expect(state.blocks.map(({ type }) => type)).toEqual(['user_message', 'subagent', 'assistant_text'])
    expect(issues).toEqual([])
  })
})
