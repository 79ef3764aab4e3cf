import { expect, it } from 'vitest'
import { init, readStream } from '../messages.ts'

it('the example of the research on shadow tracking gives the subagent even if the input lacks its call', () => {
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
  const { state, issues } = readStream(init, result)
  expect(state.subagents).toMatchObject([{ ...agent, usage: [{ unsplitTokens: 40348 }] }])
  expect(state.blocks).toMatchObject([{ type: 'subagent', input: 'What is 2+2?', output: '2 + 2 = 4' }])
  expect(issues).toEqual([])
})
