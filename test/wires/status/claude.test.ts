import { describe, expect, it } from 'vitest'
import { claudeSource } from '../../../src/wires/claude/source.ts'
import {
  abortedResult,
  agentCall,
  assistantMessage,
  blockStart,
  endTurn,
  finalAnswer,
  fromSubagent,
  init,
  interruptionMessage,
  LAUNCH_TEXT,
  launchedRecord,
  messageDelta,
  messageStart,
  messageStop,
  modelAnswers,
  modelCalls,
  modelLaunches,
  modelSays,
  system,
  taskNotificationMessage,
  taskStarted,
  taskUpdated,
  text,
  textDelta,
  toolResult,
  turnResult,
  userMessage,
  withUuids,
} from '../claude/messages.ts'
import { type Message, statesOf, statusesOf } from './session-statuses.ts'

const streamed = (...messages: readonly Message[]) => statusesOf(claudeSource, withUuids(messages))
const storedLines = (messages: readonly Message[]): readonly Message[] =>
  withUuids(messages).map(({ session_id, parent_tool_use_id, ...line }) => ({
    ...line,
    sessionId: 'session',
  }))
const stored = (...messages: readonly Message[]) => statusesOf(claudeSource, storedLines(messages))
const lastTurn = (...messages: readonly Message[]) => statesOf(claudeSource, withUuids(messages)).at(-2)?.turn

const secondAnswer = modelAnswers('m2', 'More.')
const apiError = assistantMessage(
  'u1',
  text('API Error: 400 refused'),
  { is_api_error_message: true, isApiErrorMessage: true },
  { model: '<synthetic>' },
)
const launch = [
  modelLaunches('m0', 't1'),
  toolResult('t1', LAUNCH_TEXT, {
    tool_use_result: launchedRecord('a1'),
    toolUseResult: launchedRecord('a1'),
  }),
]

describe('a stream', () => {
  it('runs from the beginning of each turn to its result', () => {
    const first = [init, finalAnswer, turnResult()]
    expect(streamed(...first, init, secondAnswer, turnResult()).join(' ')).toBe(
      'running running finished running running finished finished',
    )
  })

  it('runs for a reader that joins it in the middle of a message', () => {
    expect(streamed(textDelta('m1', 0, 'lo'), messageDelta('m1', 'end_turn'), turnResult()).join(' ')).toBe(
      'running running finished finished',
    )
  })

  it('runs for a reader of finished lines that joins it in the middle of a message, until the input ends', () => {
    const line = { ...finalAnswer, sessionId: 'session' }
    const live = [blockStart('m2', 1, text('')), textDelta('m2', 1, 'lo')]
    expect(streamed(line, ...live)).toEqual(['finished', 'running', 'running', 'interrupted'])
  })

  it('runs for a reader that joins it before the last message', () => {
    expect(streamed(apiError, turnResult({ is_error: true }))).toEqual(['running', 'failed', 'failed'])
  })

  // The program keeps the result of the turn back until the agent has ended.
  it('is in the background while an agent outlives the turn', () => {
    const agent = [...launch, taskStarted('a1', 't1', { is_backgrounded: true })]
    const end = taskUpdated('a1', 'completed')
    expect(streamed(init, ...agent, finalAnswer, end, init, secondAnswer, turnResult()).join(' ')).toBe(
      'running running running running background running running running finished finished',
    )
  })

  // The program keeps the result back while an agent runs, so it may come in the middle of the next turn.
  it('finishes with a result whose messages a late reader has missed', () => {
    const result = turnResult({ begun_message_ids: ['m1', 'm2'] })
    expect(streamed(init, modelCalls('m1', 't1'), toolResult('t1', 'out'), result).at(-2)).toBe('finished')
  })

  // Older versions state the limit of turns with `is_error: false`.
  it.each([
    ['error_max_turns', false],
    ['error_max_budget_usd', true],
    ['error_during_execution', true],
  ])('has failed after the result %s', (subtype, is_error) => {
    const messages = [
      init,
      modelCalls('m1', 't1'),
      toolResult('t1', 'out'),
      turnResult({ subtype, is_error, terminal_reason: undefined }),
    ]
    expect(streamed(...messages)).toEqual(['running', 'running', 'running', 'failed', 'failed'])
    expect(lastTurn(...messages)).toMatchObject({ error: subtype })
  })

  it('is interrupted from the person’s stop to the next turn', () => {
    const stop = [
      modelSays('m1', 'Hal', { aborted: true }),
      interruptionMessage,
      messageDelta('m1', null),
      messageStop('m1', 1),
      abortedResult,
    ]
    const start = [init, messageStart('m1'), blockStart('m1', 0, text(''))]
    expect(streamed(...start, ...stop, init)).toEqual([
      ...['running', 'running', 'running'],
      ...['interrupted', 'interrupted', 'interrupted', 'interrupted', 'interrupted'],
      ...['running', 'interrupted'],
    ])
  })

  it('runs on in a new process after the first one was killed', () => {
    const killed = [init, modelCalls('m1', 't1')]
    const messages = [...killed, init, secondAnswer, turnResult()]
    expect(streamed(...messages).join(' ')).toBe('running running running running finished finished')
    const [, , restarted] = statesOf(claudeSource, withUuids(messages))
    expect(restarted?.blocks[0]?.status).not.toBe('pending')
  })

  // Its agents would run for ever, and the session would be in the background.
  it('ends the agents of a killed process in the next one, if main waited for them', () => {
    const killed = [
      init,
      modelLaunches('m0', 't1'),
      assistantMessage('n0', agentCall('t2'), fromSubagent('t1')),
      init,
      secondAnswer,
      turnResult(),
    ]
    expect(streamed(...killed).slice(-3)).toEqual(['running', 'finished', 'finished'])
    const { subagents = [] } = statesOf(claudeSource, withUuids(killed)).at(3) ?? {}
    expect(subagents.map(({ status }) => status)).toEqual(['error', 'error'])
  })

  it('is in the background while an agent runs that main does not wait for', () => {
    expect(
      streamed(init, ...launch, finalAnswer, turnResult(), init, secondAnswer)
        .slice(-3)
        .join(' '),
    ).toBe('running background finished')
  })

  it('runs while a request is repeated, and has failed after the last error', () => {
    const retry = system('api_retry', { attempt: 1, max_retries: 2, error: 'overloaded', error_status: 529 })
    const result = turnResult({
      is_error: true,
      terminal_reason: 'api_error',
      result: 'API Error: 400 refused',
    })
    const messages = [init, retry, retry, apiError, result]
    expect(streamed(...messages)).toEqual(['running', 'running', 'running', 'running', 'failed', 'failed'])
    expect(lastTurn(...messages)).toMatchObject({ status: 'failed', error: 'API Error: 400 refused' })
  })

  it('runs while it compacts the conversation on a command', () => {
    const status = (value: string | null) => system('status', { status: value })
    const boundary = system('compact_boundary', { compact_metadata: { trigger: 'manual' } })
    const summary = userMessage('The summary.', { isSynthetic: true })
    const messages = [init, finalAnswer, turnResult(), status('compacting'), status(null), boundary, summary]
    expect(
      streamed(...messages, turnResult())
        .slice(2)
        .join(' '),
    ).toBe('finished running running running running finished finished')
  })
})

describe('a file', () => {
  it('runs from each prompt to its answer', () => {
    expect(stored(userMessage('Go.'), finalAnswer, userMessage('And?'), secondAnswer).join(' ')).toBe(
      'running finished running finished finished',
    )
  })

  it('runs again when the program hands a report to the model by itself', () => {
    const report = taskNotificationMessage('a1', 't1')
    expect(stored(userMessage('Go.'), ...launch, finalAnswer, report, secondAnswer).join(' ')).toBe(
      'running running running background running finished finished',
    )
  })

  // Some files have the result that ends a turn before its call.
  it('is one turn if a call follows the result that has ended the turn', () => {
    const at = (second: number, line: Message) => ({ ...line, timestamp: `2026-01-01T00:00:0${second}.000Z` })
    const lines = [
      at(0, userMessage('Go.')),
      at(6, toolResult('t1', 'Structured output provided successfully', { toolEndsTurn: true })),
      at(5, modelCalls('m1', 't1', 'StructuredOutput', {})),
      at(6, { type: 'attachment', attachment: { type: 'structured_output', data: {} } }),
    ]
    for (const messages of [lines, [lines[0], lines[2], lines[1], lines[3]]]) {
      const { turn } =
        statesOf(claudeSource, storedLines(messages.filter((line) => line !== undefined))).at(-2) ?? {}
      expect(turn).toMatchObject({ status: 'finished', durationMs: 6000 })
    }
  })

  it('has failed after an error of the API, and runs again after the next prompt', () => {
    expect(stored(userMessage('Go.'), apiError, userMessage('Again.')).join(' ')).toBe(
      'running failed running interrupted',
    )
  })

  it('stays interrupted after the program’s note at a resume', () => {
    const note = assistantMessage(
      'u1',
      text('No response requested.'),
      {},
      { model: '<synthetic>', ...endTurn },
    )
    expect(stored(userMessage('Go.'), interruptionMessage, note).join(' ')).toBe(
      'running interrupted interrupted interrupted',
    )
  })

  it('stays finished after a command of the program, such as a compaction', () => {
    const boundary = system('compact_boundary', { compactMetadata: { trigger: 'manual' } })
    const lines = [
      boundary,
      userMessage('The summary.', { isCompactSummary: true }),
      userMessage('<command-name>/compact</command-name>'),
      userMessage('<local-command-stdout>Compacted</local-command-stdout>'),
    ]
    expect(
      stored(userMessage('Go.'), finalAnswer, ...lines)
        .slice(1)
        .join(' '),
    ).toBe('finished finished finished finished finished finished')
  })
})
