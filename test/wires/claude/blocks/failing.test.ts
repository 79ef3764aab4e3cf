import { describe, expect, it } from 'vitest'
import { blocksOf, notesOf, ofType, replay } from '../../recordings.ts'
import {
  assistantMessage,
  fromSubagent,
  type Message,
  modelLaunches,
  readOpenStream,
  readStream,
  taskNotified,
  taskStarted,
  taskUpdated,
  text,
  toolResult,
  toolUse,
  turnResult,
  userMessage,
} from '../messages.ts'

const TERMINATED = 'Agent terminated early due to an API error: API Error: 400'
const REJECTED = "The user doesn't want to proceed with this tool use."
const inSubagent = fromSubagent('t1', 'a1')
const started = [modelLaunches('m1', 't1'), taskStarted('a1', 't1')]

/** A message of the program in the model's place. Its id is a uuid. */
const apiError = (fields: Message): Message =>
  assistantMessage(
    '1b36f135-228f-48c4-8b67-eef8dad96a89',
    text('API Error: 400'),
    { is_api_error_message: true, error: 'unknown', api_error_type: 'invalid_request_error', ...fields },
    { model: '<synthetic>', stop_reason: 'stop_sequence', usage: { input_tokens: 0, output_tokens: 0 } },
  )

describe('an agent that fails', () => {
  const { state, issues } = readStream(
    ...started,
    assistantMessage('s1', toolUse('st1'), inSubagent),
    toolResult('st1', 'half', inSubagent),
    apiError(inSubagent),
    taskUpdated('a1', 'failed', { patch: { status: 'failed', error: TERMINATED } }),
    taskNotified('a1', 't1', { status: 'failed', summary: TERMINATED, usage: undefined }),
    toolResult('t1', TERMINATED, { tool_use_result: `Error: ${TERMINATED}` }, { is_error: true }),
  )

  it('has the status error and the reason as output, in the parent too', () => {
    expect(state.subagents).toMatchObject([{ status: 'error', output: TERMINATED, agentId: 'a1' }])
    expect(state.blocks).toMatchObject([{ type: 'subagent', status: 'error', output: TERMINATED }])
    expect(issues).toEqual([])
  })

  it('keeps its blocks, and the API’s error comes last', () => {
    expect(blocksOf(state, 't1').map(({ type, status }) => [type, status])).toEqual([
      ['tool_use', 'complete'],
      ['tool_result', 'complete'],
      ['error', 'error'],
    ])
    expect(blocksOf(state, 't1').at(-1)).toMatchObject({
      id: '1b36f135-228f-48c4-8b67-eef8dad96a89:0',
      message: 'API Error: 400',
      code: 'invalid_request_error',
    })
  })
})

it('an agent whose request is retried has the retry in its own conversation, and nothing of the cut message', () => {
  const { state, issues } = readOpenStream(...started, {
    type: 'tool_progress',
    tool_use_id: 'agent_msg_1',
    tool_name: 'Agent',
    session_id: 'session',
    subagent_retry: { agent_id: 'a1', attempt: 2, max_retries: 10, retry_delay_ms: 500, error_status: 529 },
    ...inSubagent,
  })
  expect(notesOf({ blocks: blocksOf(state, 't1'), usage: [] }, 'retry')).toMatchObject([
    { message: 'retry 2 of 10', data: { attempt: 2, maxRetries: 10, delayMs: 500, errorStatus: 529 } },
  ])
  expect(state.subagents).toMatchObject([{ status: 'running' }])
  expect(issues.map(({ code }) => code)).toEqual(['unfinished-subagent'])
})

describe('an agent that the user interrupts', () => {
  const { state, ending } = readStream(
    ...started,
    assistantMessage('s1', toolUse('st1'), inSubagent),
    taskUpdated('a1', 'killed'),
    toolResult('t1', REJECTED, { tool_use_result: 'User rejected tool use' }, { is_error: true }),
    userMessage([text('[Request interrupted by user for tool use]')]),
    turnResult({ subtype: 'error_during_execution', is_error: true, terminal_reason: 'aborted_tools' }),
  )

  it('has failed, and so has its running tool call', () => {
    expect(state.subagents).toMatchObject([{ status: 'error' }])
    expect(blocksOf(state, 't1')).toMatchObject([{ type: 'tool_use', status: 'error' }])
    expect(state.blocks[0]).toMatchObject({ type: 'subagent', status: 'error' })
  })

  it('leaves a system block in main, no message of the user and no error', () => {
    expect(notesOf(state, 'interruption')).toHaveLength(1)
    expect(ofType(state, 'user_message')).toEqual([])
    expect(ofType(state, 'error')).toEqual([])
    expect(ending).toBe('interrupted')
  })
})

// A bug: the completion used the agent as it was before its last text, when its request had failed.
it('an agent without a known call recovers from a failed request', () => {
  const line = (message: object, more: object = {}) =>
    JSON.stringify({ type: 'assistant', session_id: 's', parent_tool_use_id: 't1', message, ...more })
  const failed = {
    id: 'm1',
    model: '<synthetic>',
    content: [{ type: 'text', text: 'API Error: 529' }],
  }
  const { state } = replay(
    [
      line({ id: 'm0', model: 'x', content: [{ type: 'text', text: 'Hello.' }], stop_reason: 'tool_use' }),
      line(failed, { is_api_error_message: true }),
      line({ id: 'm2', model: 'x', content: [{ type: 'text', text: 'Report.' }], stop_reason: 'end_turn' }),
    ].join('\n'),
  )
  expect(state.subagents).toMatchObject([{ status: 'success', output: 'Report.' }])
})
