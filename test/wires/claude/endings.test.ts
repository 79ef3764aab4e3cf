import { describe, expect, it } from 'vitest'
import type { Ending } from '../../../src/reading/source.ts'
import {
  abortedResult,
  assistantMessage,
  blockStart,
  endTurn,
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
  readStream,
  system,
  taskNotificationMessage,
  text,
  toolResult,
  toolUse,
  turnResult,
  userMessage,
} from './messages.ts'

it.each<[Ending, string, readonly Message[]]>([
  ['open', 'has no turn', []],
  ['interrupted', 'stops at the start of the turn', [init]],
  ['finished', 'has the turn’s result', [init, finalAnswer, turnResult()]],
  ['interrupted', 'stops in a message', [init, messageStart('m1'), blockStart('m1', 0, text(''))]],
  ['interrupted', 'stops while a tool runs', [init, modelCalls('m1', 't1')]],
  ['interrupted', 'stops after a tool’s result', [init, modelCalls('m1', 't1'), toolResult('t1', 'out')]],
  [
    'interrupted',
    'is interrupted by the user',
    [init, modelSays('m1', 'Hal', { aborted: true }), interruptionMessage, abortedResult],
  ],
  [
    'interrupted',
    'is interrupted and has no result',
    [init, modelSays('m1', 'Hal', { aborted: true }), interruptionMessage],
  ],
  [
    'open',
    'has an answer but no result yet',
    [init, messageStart('m1'), modelSays('m1', 'Hi.'), messageDelta('m1', 'end_turn'), messageStop('m1')],
  ],
  [
    'finished',
    'continues after an interruption',
    [
      init,
      interruptionMessage,
      abortedResult,
      init,
      userMessage('More.', { isReplay: true }),
      finalAnswer,
      turnResult(),
    ],
  ],
  [
    'finished',
    'ends with a refused request, whose result has the subtype success',
    [
      init,
      assistantMessage(
        'u1',
        text('API Error: 400'),
        { is_api_error_message: true },
        { model: '<synthetic>' },
      ),
      turnResult({ is_error: true, terminal_reason: 'api_error' }),
    ],
  ],
  [
    'finished',
    'continues after the token limit',
    [
      init,
      assistantMessage('m1', text('Half'), {}, { stop_reason: 'max_tokens' }),
      userMessage([text('Output token limit hit.')], { isSynthetic: true }),
      modelAnswers('m2', ' and half.'),
      turnResult(),
    ],
  ],
  [
    'finished',
    'continues after a refusal',
    [
      init,
      assistantMessage('m1', text('No'), {}, { stop_reason: 'refusal' }),
      system('informational', { content: 'The model refused.' }),
      userMessage([text('Go on.')], { isSynthetic: true, refused_message_id: 'm1' }),
      modelAnswers('m2', 'Yes.'),
      turnResult(),
    ],
  ],
  [
    'interrupted',
    'stops after the notification of a background agent',
    [init, finalAnswer, turnResult(), init, messageStart('m2')],
  ],
])('a stream that %s: %s', (ending, _, messages) => {
  expect(readStream(...messages).ending).toBe(ending)
})

it.each<[Ending, string, readonly Message[]]>([
  ['finished', 'ends with an answer', [userMessage('Go.'), finalAnswer]],
  ['interrupted', 'ends with a prompt', [userMessage('Go.'), finalAnswer, userMessage('And?')]],
  [
    'interrupted',
    'ends with a tool call',
    [userMessage('Go.'), assistantMessage('m1', toolUse('t1'), {}, { stop_reason: 'tool_use' })],
  ],
  [
    'interrupted',
    'ends with a tool’s result',
    [userMessage('Go.'), modelCalls('m1', 't1'), toolResult('t1', 'out')],
  ],
  [
    'interrupted',
    'ends with an interruption',
    [userMessage('Go.'), modelSays('m1', 'Hal', { isAbortedMidStream: true }), interruptionMessage],
  ],
  [
    'interrupted',
    'ends with an aborted answer',
    [userMessage('Go.'), modelSays('m1', 'Hal', { isAbortedMidStream: true })],
  ],
  [
    'finished',
    'is resumed after an interruption',
    [
      userMessage('Go.'),
      interruptionMessage,
      assistantMessage('u1', text('No response requested.'), {}, { model: '<synthetic>', ...endTurn }),
      userMessage('More.'),
      finalAnswer,
    ],
  ],
  [
    'finished',
    'goes on after an interruption',
    [userMessage('Go.'), interruptionMessage, userMessage('More.'), finalAnswer],
  ],
  [
    'finished',
    'ends with lines of the program',
    [
      userMessage('Go.'),
      finalAnswer,
      userMessage('<command-name>/cost</command-name>'),
      userMessage('Note.', { isMeta: true }),
    ],
  ],
  [
    'finished',
    'says no reason why messages stop, as old ones',
    [userMessage('Go.'), modelSays('m1', 'Done.')],
  ],
  [
    'interrupted',
    'ends with a notification without an answer',
    [
      userMessage('Go.'),
      modelLaunches('m1', 't1'),
      toolResult('t1', LAUNCH_TEXT, { toolUseResult: launchedRecord('a1') }),
      finalAnswer,
      taskNotificationMessage('a1', 't1'),
    ],
  ],
])('a file is %s: it %s', (ending, _, messages) => {
  expect(readFiles(messages).ending).toBe(ending)
})

describe('a session that answers with its StructuredOutput call', () => {
  const call = assistantMessage(
    'm1',
    toolUse('t1', 'StructuredOutput', { findings: [] }),
    {},
    { stop_reason: 'tool_use' },
  )
  const taken = 'Structured output provided successfully'

  it.each<[string, readonly Message[]]>([
    ['its result says so', [call, toolResult('t1', taken, { toolEndsTurn: true })]],
    ['an older version says nothing', [call, toolResult('t1', taken)]],
    [
      'the result stands before its call',
      [
        toolResult('t1', taken, { toolEndsTurn: true }),
        call,
        {
          type: 'attachment',
          attachment: { type: 'structured_output', data: { findings: [] }, toolUseID: 't1' },
        },
      ],
    ],
  ])('is finished: %s', (_, lines) => {
    const { ending, issues } = readFiles([userMessage('Go.'), ...lines])
    expect({ ending, issues }).toEqual({ ending: 'finished', issues: [] })
  })

  it('is interrupted where the program refused the output', () => {
    const refused = toolResult('t1', 'Output does not match', {}, { is_error: true })
    expect(readFiles([userMessage('Go.'), call, refused]).ending).toBe('interrupted')
  })
})
