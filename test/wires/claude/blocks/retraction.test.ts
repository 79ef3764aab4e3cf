import { describe, expect, it } from 'vitest'
import { ofType, textsOf } from '../../recordings.ts'
import {
  agentCall,
  assistantMessage,
  blockDelta,
  blockStart,
  fromSubagent,
  init,
  type Message,
  messageDelta,
  messageStart,
  messageStop,
  modelAnswers,
  modelSays,
  readOpenStream,
  readStream,
  text,
  textDelta,
  toolResult,
  toolUse,
  turnResult,
} from '../messages.ts'

const finishedBlock = [messageStart('m1'), blockStart('m1', 0, text('')), modelSays('m1', 'Finished.')]

describe('a message whose connection was lost', () => {
  it('is the one that the retraction names, even if another has started', () => {
    const { api_message_id, ...stop } = messageStop('m1', 0)
    const { state } = readStream(
      messageStart('m1'),
      blockStart('m1', 0, text('')),
      messageStart('m2'),
      blockStart('m2', 0, text('')),
      textDelta('m2', 0, 'Stays.'),
      stop,
    )
    expect(state.blocks).toMatchObject([{ id: 'm2:0', content: 'Stays.' }])
  })

  it('counts its later blocks like its file, which never had the retracted ones', () => {
    const { state } = readStream(
      ...finishedBlock,
      blockStart('m1', 1, toolUse('t1', 'Bash', {})),
      messageStop('m1', 1),
      modelSays('m1', 'More.'),
    )
    expect(state.blocks.map(({ id }) => id)).toEqual(['m1:0', 'm1:1'])
  })
})

describe('a message that supersedes others', () => {
  it('retracts only the blocks of the lines that it names', () => {
    const { state } = readStream(
      modelSays('m1', 'Stays.', { uuid: 'u1' }),
      modelSays('m1', 'Goes.', { uuid: 'u2' }),
      modelSays('m2', 'Instead.', { uuid: 'u3', supersedes: ['u2', 'never-seen'] }),
    )
    expect(textsOf(state)).toEqual(['Stays.', 'Instead.'])
  })

  // The call's agent never started, so nothing would report its end.
  it('ends the agent of a retracted call', () => {
    const { state, ending, issues } = readStream(
      assistantMessage('m1', agentCall('t1'), { uuid: 'u1' }),
      assistantMessage('m2', agentCall('t2', { prompt: 'Do t1.' }), { supersedes: ['u1'] }),
      assistantMessage('s1', text('Hi.'), fromSubagent('t2', 'a2')),
      toolResult('t2', 'Report.'),
      assistantMessage('m3', text('Done.'), {}, { stop_reason: 'end_turn' }),
      turnResult(),
    )
    expect(state.blocks.map(({ id }) => id)).toEqual(['subagent:t2', 'm3:0'])
    expect(state.subagents.map(({ toolUseId, status }) => [toolUseId, status])).toEqual([
      ['t1', 'error'],
      ['t2', 'success'],
    ])
    expect(issues).toEqual([])
    expect(ending).toBe('finished')
  })

  it('lets an agent run on that has started', () => {
    const { state } = readOpenStream(
      assistantMessage('m1', agentCall('t1'), { uuid: 'u1' }),
      assistantMessage('s1', text('Hi.'), fromSubagent('t1', 'a1')),
      modelSays('m2', 'Instead.', { supersedes: ['u1'] }),
    )
    expect(state.subagents).toMatchObject([{ toolUseId: 't1', status: 'running' }])
  })
})

// Up to 2.1.197, the program takes nothing back. The call was shown as complete without input, or as pending for ever.
describe('a call whose input was cut, in versions that do not say so', () => {
  /** Older events do not name their message. */
  const unnamed = ({ api_message_id, ...event }: Message): Message => event
  const cut = [
    ...finishedBlock,
    blockStart('m1', 1, toolUse('t1', 'Bash', {})),
    blockDelta('m1', 1, { type: 'input_json_delta', partial_json: '{"comm' }),
  ].map(unnamed)
  const apiError = assistantMessage(
    'u1',
    text('API Error: Connection error.'),
    { error: 'unknown' },
    { model: '<synthetic>', stop_reason: 'stop_sequence' },
  )

  it.each<[string, readonly Message[]]>([
    ['an API error follows', [apiError, turnResult({ is_error: true })]],
    ['the message ends, and an API error follows', [unnamed(messageStop('m1')), apiError, turnResult()]],
    ['the answer comes again, whole', [modelAnswers('m2', 'Again.'), turnResult()]],
    [
      'the answer streams again',
      [
        messageStart('m2'),
        blockStart('m2', 0, text('')),
        modelAnswers('m2', 'Again.'),
        messageDelta('m2', 'end_turn'),
        messageStop('m2'),
        turnResult(),
      ].map(unnamed),
    ],
    ['nothing follows but the result', [turnResult({ subtype: 'error_during_execution', is_error: true })]],
    ['the next turn begins', [init]],
  ])('is taken back where %s', (_, messages) => {
    const { state } = readStream(init, ...cut, ...messages)
    expect(ofType(state, 'tool_use')).toEqual([])
    expect(textsOf(state)[0]).toBe('Finished.')
    expect(state.blocks.filter(({ status }) => status === 'pending')).toEqual([])
  })

  it('takes an agent back that never started', () => {
    const call = unnamed(blockStart('m1', 0, agentCall('t1', {})))
    const { state } = readStream(init, unnamed(messageStart('m1')), call, apiError, turnResult())
    expect(state.subagents).toEqual([])
  })
})

describe('a reply that broke off and came again whole', () => {
  const retried = [
    init,
    messageStart('m1'),
    blockStart('m1', 0, text('')),
    textDelta('m1', 0, 'Ha'),
    messageStop('m1', 0),
    modelSays('m2', 'Whole.'),
  ]

  // The turn ran for ever: the result names the message that broke off, and not the one that came whole.
  it('ends its turn with the result that names the abandoned message', () => {
    const { state } = readOpenStream(...retried, turnResult({ result: 'Whole.', begun_message_ids: ['m1'] }))
    expect(state.turn.status).toBe('finished')
  })

  it('runs on after the result of another turn', () => {
    const { state } = readOpenStream(
      ...retried,
      turnResult({ result: 'Earlier.', begun_message_ids: ['m0'] }),
    )
    expect(state.turn.status).toBe('running')
  })
})
