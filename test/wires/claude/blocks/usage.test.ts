import { describe, expect, it } from 'vitest'
import { claudeSource } from '../../../../src/wires/claude/source.ts'
import {
  assistantMessage,
  completedRecord,
  fromSubagent,
  init,
  LAUNCH_TEXT,
  launchedRecord,
  type Message,
  messageDelta,
  messageStart,
  messageStop,
  modelLaunches,
  modelSays,
  readFiles,
  readStream,
  taskNotified,
  taskStarted,
  taskUpdated,
  text,
  toolResult,
  userMessage,
} from '../messages.ts'

const early: Message = {
  input_tokens: 100,
  output_tokens: 1,
  cache_read_input_tokens: 7,
  cache_creation_input_tokens: 3,
  service_tier: 'standard',
}
const usageOf = (...messages: readonly Message[]) => readStream(...messages).state.usage

describe('the tokens of a message in the stream', () => {
  it('stay final if an early snapshot arrives late or twice', () => {
    const { state, events } = readStream(
      messageStart('m1', early),
      assistantMessage('m1', text('Hi.'), {}, { usage: early }),
      messageDelta('m1', 'end_turn', { output_tokens: 42 }),
      assistantMessage('m1', text('You.'), {}, { usage: early }),
      messageStart('m1', early),
    )
    expect(state.usage).toMatchObject([{ final: true, outputTokens: 42 }])
    expect(events.filter(({ type }) => type === 'usage:reported')).toHaveLength(2)
  })

  it('stay provisional if the message was cut or aborted', () => {
    expect(usageOf(messageStart('m1', early), messageStop('m1', 0))).toMatchObject([{ final: false }])
    expect(
      usageOf(
        messageStart('m1', early),
        messageDelta('m1', null, { output_tokens: 1 }),
        messageStop('m1', 1),
      ),
    ).toMatchObject([{ final: false }])
  })
})

describe('the tokens that only the result of an agent’s call states', () => {
  const stated = { usage: { input_tokens: 2801, output_tokens: 22 }, totalTokens: 2823 }
  const result = (fields: Message) =>
    toolResult('t1', 'Report.', { toolUseResult: completedRecord('a1', 'Report.', fields) })
  const call = modelLaunches('m1', 't1')
  const lastLine = assistantMessage('s2', text('Report.'), {}, { ...stated, stop_reason: 'end_turn' })

  it('belong to the message as soon as its line is there', () => {
    const main = [userMessage('Go.'), call, result(stated)]
    const { state } = readFiles(main, { a1: { lines: [userMessage('Do t1.'), lastLine] } })
    const { state: late } = readStream(call, result(stated), { ...lastLine, ...fromSubagent('t1', 'a1') })
    for (const each of [state, late])
      expect(each.subagents[0]?.usage).toMatchObject([
        { messageId: 's2', inputTokens: 2801, outputTokens: 22 },
      ])
  })

  it('complete the provisional figures of the message, in either order', () => {
    const early = assistantMessage('s2', text('Report.'), fromSubagent('t1', 'a1'), {
      usage: { input_tokens: 2801, output_tokens: 1 },
    })
    const entry = { messageId: 's2', final: true, inputTokens: 2801, outputTokens: 22 }
    for (const lines of [
      [early, result(stated)],
      [result(stated), early],
    ])
      expect(readStream(call, ...lines).state.subagents[0]?.usage).toMatchObject([entry])
  })

  it('are those of a message whose line came before, in a file and in a stream', () => {
    const files = { a1: { lines: [userMessage('Do t1.'), lastLine] } }
    const states = [
      readFiles([userMessage('Go.'), call, result({ totalTokens: 2823 })], files).state,
      readStream(call, { ...lastLine, ...fromSubagent('t1', 'a1') }, result({ totalTokens: 2823 })).state,
    ]
    for (const state of states)
      expect(state.subagents[0]?.usage).toEqual([
        {
          messageId: 's2',
          final: true,
          model: 'claude-opus-5-5',
          inputTokens: 2801,
          outputTokens: 22,
        },
      ])
  })
})

describe('the tokens that a notification states', () => {
  const call = modelLaunches('m1', 't1', { run_in_background: true })
  const launch = toolResult('t1', LAUNCH_TEXT, { toolUseResult: launchedRecord('a1') })
  const usage = { total_tokens: 2823, tool_uses: 0, duration_ms: 900 }
  const notified = (fields: Message = {}) =>
    taskNotified('a1', 't1', { summary_is_report: true, usage, ...fields })
  const inTags = '<usage><subagent_tokens>2823</subagent_tokens><tool_uses>0</tool_uses></usage>'
  const inLines = '<usage>total_tokens: 2823\ntool_uses: 0</usage>'
  const reported = (stated: string) =>
    userMessage(
      `<task-notification>\n<task-id>a1</task-id>\n<tool-use-id>t1</tool-use-id>\n<status>completed</status>\n<summary>Agent "x" finished</summary>\n<result>Report.</result>\n${stated}\n</task-notification>`,
    )
  const lastLine = (output_tokens: number) =>
    assistantMessage('s2', text('Report.'), fromSubagent('t1', 'a1'), {
      usage: { input_tokens: 2801, output_tokens },
      ...(output_tokens > 1 && { stop_reason: 'end_turn' }),
    })
  const usageAfter = (...messages: readonly Message[]) => readStream(...messages).state.subagents[0]?.usage
  const sum = { messageId: 't1:result', fromResult: true, unsplitTokens: 2823 }
  const message = { messageId: 's2', model: 'claude-opus-5-5', inputTokens: 2801, outputTokens: 22 }

  it.each([
    ['in a stream', () => usageAfter(init, call, launch, notified(), notified(), reported(inTags))],
    [
      'in a file',
      () =>
        readFiles([userMessage('Go.'), call, launch, reported(inTags), reported(inTags)]).state.subagents[0]
          ?.usage,
    ],
    [
      'in lines without tags',
      () => readFiles([userMessage('Go.'), call, launch, reported(inLines)]).state.subagents[0]?.usage,
    ],
  ])('are in the sums once: %s', (_, read) => {
    expect(read()).toMatchObject([sum])
  })

  it('complete the message, or give way to it, in either order', () => {
    const entry = { ...message, final: true }
    expect(usageAfter(init, call, launch, lastLine(1), notified())).toEqual([entry])
    expect(usageAfter(init, call, launch, notified(), lastLine(22))).toEqual([entry])
    expect(usageAfter(init, call, launch, lastLine(22), notified({ summary: 'Other.' }))).toEqual([entry])
    const agent = { a1: { lines: [userMessage('Do t1.'), lastLine(22)] } }
    const { state } = readFiles([userMessage('Go.'), call, launch, reported(inTags)], agent)
    expect(state.subagents[0]?.usage).toEqual([entry])
  })

  it('give way to the parts that the result of the call states', () => {
    const record = completedRecord('a1', 'Report.', {
      usage: { input_tokens: 2801, output_tokens: 22 },
      totalTokens: 2823,
    })
    const foreground = modelLaunches('m1', 't1')
    const result = toolResult('t1', 'Report.', { toolUseResult: record })
    expect(usageAfter(init, foreground, notified(), result)).toMatchObject([
      { messageId: 't1:result', final: true, inputTokens: 2801, outputTokens: 22 },
    ])
    expect(usageAfter(init, foreground, notified(), result)?.[0]).not.toHaveProperty('unsplitTokens')
  })

  it('are provisional before 2.1.280, whose sum lacks a part of the output', () => {
    const old = { ...init, claude_code_version: '2.1.220' }
    const usage = { total_tokens: 2804 }
    expect(usageAfter(old, call, launch, lastLine(1), notified({ usage }))).toEqual([
      { ...message, final: false, outputTokens: 3 },
    ])
    expect(usageAfter(old, call, launch, lastLine(1), notified({ usage }), lastLine(22))).toEqual([
      { ...message, final: true },
    ])
    expect(usageAfter(old, call, launch, lastLine(22), notified({ summary: 'Other.', usage }))).toEqual([
      { ...message, final: true },
    ])
  })

  // The stored lines of an agent may come after the sum. The sum of a failed run is that of no message.
  it('give way to a message that comes later, and to one with more tokens', () => {
    const old = { ...init, claude_code_version: '2.1.220' }
    const stated = (total_tokens: number) => notified({ usage: { total_tokens } })
    const entry = { ...message, final: true }
    expect(usageAfter(old, call, launch, stated(2804), lastLine(22))).toEqual([entry])
    expect(
      usageAfter(old, call, launch, lastLine(22), notified({ summary: 'x', usage: { total_tokens: 2 } })),
    ).toEqual([entry])
    expect(usageAfter(old, call, launch, stated(2), lastLine(22))).toEqual([entry])
  })

  // The program reports the end of a task twice, and the second report has the tokens.
  it('complete the message of an agent that had ended before the reader was opened again', () => {
    const waiting = modelSays('m2', 'It runs.')
    const start = [init, call, taskStarted('a1', 't1'), launch, waiting]
    const before = [...start, lastLine(1), taskUpdated('a1', 'completed')]
    const { state } = readStream(...before)
    const { session } = claudeSource.read(claudeSource.open(state), [notified(), notified()])
    expect(state.subagents).toMatchObject([{ status: 'success', usage: [{ final: false }] }])
    expect(session.state.subagents[0]?.usage).toEqual([{ ...message, final: true }])
  })

  it('count once for each run', () => {
    const again = [
      taskStarted('a1', 't2', { run_id: 'run-2', prompt: 'Again.' }),
      notified({ tool_use_id: 't2', run_id: 'run-2', usage: { total_tokens: 3000 } }),
    ]
    const messages = [init, call, taskStarted('a1', 't1'), launch, notified(), ...again, ...again]
    expect(usageAfter(...messages)?.map(({ unsplitTokens }) => unsplitTokens)).toEqual([2823, 3000])
  })

  it('are none of an agent that failed', () => {
    expect(usageAfter(init, call, launch, notified({ status: 'failed' }))).toEqual([])
    expect(usageAfter(init, call, launch, notified({ usage: { total_tokens: 'x' } }))).toEqual([])
  })
})
