import { describe, expect, it } from 'vitest'
import { ofType } from '../recordings.ts'
import {
  abortedResult,
  assistantMessage,
  blockStart,
  finalAnswer,
  init,
  interruptionMessage,
  LAUNCH_TEXT,
  launchedRecord,
  type Message,
  messageDelta,
  messageStart,
  messageStop,
  modelAnswers,
  modelCalls,
  modelLaunches,
  modelSays,
  readFiles,
  readOpenFiles,
  readOpenStream,
  readStream,
  taskNotificationMessage,
  taskNotified,
  text,
  textDelta,
  toolResult,
  toolUse,
  turnResult,
  userMessage,
} from './messages.ts'

describe('the end of a turn', () => {
  it('leaves nothing of main pending', () => {
    const { state } = readStream(
      init,
      messageStart('m1'),
      blockStart('m1', 0, text('')),
      messageStop('m1'),
      turnResult(),
    )
    expect(state.blocks.map(({ status }) => status)).toEqual(['complete'])
  })

  it('finalizes the blocks that an abort cut', () => {
    const { state } = readStream(init, modelCalls('m1', 't1'), interruptionMessage, abortedResult)
    expect(state.blocks[0]?.status).not.toBe('pending')
  })

  it.each(['error_max_turns', 'error_during_execution', 'error_max_budget_usd'])(
    'is an error if the turn failed: %s',
    (subtype) => {
      const { state, ending } = readStream(
        init,
        finalAnswer,
        turnResult({ subtype, is_error: true, errors: ['It broke.'] }),
      )
      expect(ofType(state, 'error')).toMatchObject([{ code: subtype, message: 'It broke.' }])
      expect(ending).toBe('finished')
    },
  )

  it('is not reported twice if the API’s error was already a message', () => {
    const { state } = readStream(
      init,
      assistantMessage(
        'u1',
        text('API Error: 400'),
        { is_api_error_message: true },
        { model: '<synthetic>' },
      ),
      turnResult({ is_error: true, terminal_reason: 'api_error', result: 'API Error: 400' }),
    )
    expect(ofType(state, 'error')).toHaveLength(1)
  })
})

describe('a session in several processes', () => {
  const killed = [init, modelCalls('m1', 't1')]

  it('ends finished even if its first process was killed while a tool ran', () => {
    const { ending } = readStream(...killed, init, modelAnswers('m2', 'Done.'), turnResult())
    expect(ending).toBe('finished')
  })

  it('ends finished even if its first process was killed in a message', () => {
    const cut = [init, messageStart('m1'), blockStart('m1', 0, text(''))]
    const resumed = [
      init,
      messageStart('m2'),
      modelSays('m2', 'Done.'),
      messageDelta('m2', 'end_turn'),
      messageStop('m2'),
    ]
    expect(readStream(...cut, ...resumed, turnResult()).ending).toBe('finished')
  })

  it('continues after the end of the first process', () => {
    const { state } = readStream(
      init,
      finalAnswer,
      turnResult(),
      init,
      modelAnswers('m2', 'More.'),
      turnResult(),
    )
    expect(state.blocks.map(({ id }) => id)).toEqual(['m1:0', 'm2:0'])
  })
})

describe('a message that arrives while main is busy', () => {
  const failure = toolResult('t1', 'It broke.', {}, { is_error: true })
  const messages: readonly (readonly [string, Message])[] = [
    ['a message of the person', userMessage('Wait.', { isReplay: true })],
    ['the report of a background agent', taskNotificationMessage('a9', 't9')],
    ['a message of the program', userMessage('Note.', { isSynthetic: true })],
  ]

  it.each(messages)('leaves the tool call pending until its result, in the stream: %s', (_, message) => {
    const { state } = readStream(init, modelCalls('m1', 't1'), message, failure)
    expect(ofType(state, 'tool_use')).toMatchObject([{ status: 'error' }])
    expect(ofType(state, 'tool_result')).toMatchObject([{ status: 'error' }])
  })

  it.each(messages)('leaves the tool call pending until its result, in the files: %s', (_, message) => {
    const { state } = readFiles([userMessage('Go.'), modelCalls('m1', 't1'), message, failure])
    expect(ofType(state, 'tool_use')).toMatchObject([{ status: 'error' }])
  })

  it.each(messages)('leaves the streaming message pending: %s', (_, message) => {
    const { state, reducerIssues } = readOpenStream(
      init,
      messageStart('m1'),
      blockStart('m1', 0, text('')),
      textDelta('m1', 0, 'Hel'),
      message,
      textDelta('m1', 0, 'lo'),
    )
    expect(state.blocks[0]).toMatchObject({ status: 'pending', content: 'Hello' })
    expect(reducerIssues).toEqual([])
  })
})

describe('a background agent', () => {
  const running = [
    init,
    modelLaunches('m1', 't1'),
    toolResult('t1', LAUNCH_TEXT, { tool_use_result: launchedRecord('a1') }),
  ]

  it('leaves the ending finished if it still runs', () => {
    const answer = modelAnswers('m2', 'Later.')
    const { ending, issues } = readStream(...running, answer, turnResult())
    expect(ending).toBe('finished')
    expect(issues).toMatchObject([{ code: 'unfinished-subagent', toolUseId: 't1' }])
  })

  it('leaves the ending finished if it has ended', () => {
    const { ending } = readStream(
      ...running,
      taskNotified('a1', 't1'),
      modelAnswers('m2', 'Done.'),
      turnResult(),
    )
    expect(ending).toBe('finished')
  })
})

// Some servers state another reason, and the program runs the calls: a followed file was finished while a command ran.
describe('a message with calls whose stop reason is not tool_use', () => {
  const lines = (stopReason: string) =>
    [
      userMessage('Go.'),
      assistantMessage('m1', toolUse('t1'), {}, { stop_reason: stopReason }),
      toolResult('t1', 'file'),
      assistantMessage('m2', text('Done.'), {}, { stop_reason: 'end_turn' }),
    ].map(({ type, message, uuid }) => ({ type, message, uuid, sessionId: 's' }))

  it.each(['end_turn', 'stop_sequence', 'max_tokens'])('ends no turn in a file: %s', (stopReason) => {
    const all = lines(stopReason)
    const statuses = all.map((_, index) => readOpenFiles(all.slice(0, index + 1)).state.turn.status)
    expect(statuses).toEqual(['running', 'running', 'running', 'finished'])
  })

  it('ends the turn in a file if the provider has run the call', () => {
    const call = { ...toolUse('srvtoolu_1', 'web_search'), type: 'server_tool_use' }
    const lines = [userMessage('Go.'), assistantMessage('m1', call, {}, { stop_reason: 'end_turn' })]
    const file = lines.map(({ type, message, uuid }) => ({ type, message, uuid, sessionId: 's' }))
    expect(readOpenFiles(file).state.turn.status).toBe('finished')
  })

  // GLM's server, for one: its ids name no provider.
  it('ends the turn in a file if the message has the result of the call', () => {
    const call = { ...toolUse('call_1', 'web_search'), type: 'server_tool_use' }
    const result = { type: 'tool_result', tool_use_id: 'call_1', content: 'Rain.' }
    const lines = [
      userMessage('Go.'),
      ...[call, result].map((part) => assistantMessage('m1', part)),
      assistantMessage('m1', text('It rains.'), {}, { stop_reason: 'end_turn' }),
    ]
    const file = lines.map(({ type, message, uuid }) => ({ type, message, uuid, sessionId: 's' }))
    expect(readOpenFiles(file).state.turn.status).toBe('finished')
  })

  it('ends no turn late if the server has one id for all messages', () => {
    const all = lines('tool_use').map(({ message, ...line }) => ({
      ...line,
      message: 'id' in Object(message) ? { ...Object(message), id: 'm' } : message,
    }))
    expect(readOpenFiles(all).state.turn.status).toBe('finished')
  })

  it('ends no turn in a stream, while an agent works in the background', () => {
    const { state } = readOpenStream(
      init,
      modelLaunches('m0', 'a1', { run_in_background: true }),
      toolResult('a1', LAUNCH_TEXT, { tool_use_result: launchedRecord('a1') }),
      messageStart('m1'),
      blockStart('m1', 0, toolUse('t1')),
      modelCalls('m1', 't1'),
      messageDelta('m1', 'end_turn'),
      messageStop('m1'),
    )
    expect(state.turn.status).toBe('running')
  })
})
