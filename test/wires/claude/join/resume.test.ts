import { describe, expect, it } from 'vitest'
import {
  createInitialConversationState,
  reduceSessionEvents,
  type SessionConversationState,
} from '../../../../src/entries/index.ts'
import { claudeSource } from '../../../../src/wires/claude/source.ts'
import {
  agentCall,
  assistantMessage,
  blockStart,
  completedRecord,
  fromSubagent,
  type Message,
  messageDelta,
  messageStart,
  modelCalls,
  modelSays,
  taskNotified,
  taskStarted,
  taskUpdated,
  text,
  textDelta,
  thinking,
  toolResult,
  toolUse,
  userMessage,
} from '../messages.ts'

function read(
  messages: readonly Message[],
  state = createInitialConversationState(),
): SessionConversationState {
  let session = claudeSource.open(state)
  for (const message of messages) ({ session } = claudeSource.read(session, [message]))
  return session.state
}

const idsOf = ({ blocks }: SessionConversationState) => blocks.map(({ id }) => id)

describe('a session from a state alone', () => {
  it('takes a line that the state holds as a repeated one, under any uuid', () => {
    const line = (uuid: string) => [
      userMessage('Hi.', { uuid: 'u1' }),
      assistantMessage('m1', text('One.'), { uuid: `${uuid}1` }),
      assistantMessage('m1', toolUse('t1'), { uuid: `${uuid}2` }),
      toolResult('t1', 'out', {
        uuid: `${uuid}3`,
        timestamp: uuid === 'a' ? '2026-01-01T00:00:00Z' : undefined,
      }),
      assistantMessage('m1', text('Two.'), { uuid: `${uuid}4` }),
    ]
    const state = read(line('a'))
    expect(read(line('b'), state)).toBe(state)
  })

  it('goes on counting in the middle of a message', () => {
    const state = read([assistantMessage('m1', thinking('Hm.')), modelCalls('m1', 't1')])
    expect(idsOf(read([modelSays('m1', 'One.')], state))).toEqual(['m1:0', 't1', 'm1:2'])
  })

  it('appends to a text that was streaming', () => {
    const state = read([messageStart('m1'), blockStart('m1', 0, text('')), textDelta('m1', 0, 'Hel')])
    expect(read([textDelta('m1', 0, 'lo')], state).blocks).toMatchObject([{ content: 'Hello' }])
  })

  it('skips the known part of a text that streams again from its start', () => {
    const start = [messageStart('m1'), blockStart('m1', 0, text(''))]
    const state = read([...start, textDelta('m1', 0, 'Hel'), textDelta('m1', 0, 'lo ')])
    const again = [...start, textDelta('m1', 0, 'Hello'), textDelta('m1', 0, ' you')]
    expect(read(again, state).blocks).toMatchObject([{ content: 'Hello you' }])
  })

  it('ends a turn as failed that the end of an input interrupted', () => {
    const state = reduceSessionEvents(read([userMessage('Hi.', { uuid: 'u1' })]), [
      { type: 'session:idle', outcome: 'interrupted', cut: true },
    ])
    const failed = { type: 'result', subtype: 'success', is_error: true, result: 'API Error: 400' }
    expect(read([failed], state).turn).toMatchObject({ status: 'failed', error: 'API Error: 400' })
  })

  it('keeps a turn interrupted that a person stopped', () => {
    const stop = userMessage([text('[Request interrupted by user]')], { uuid: 'u2' })
    const state = read([userMessage('Hi.', { uuid: 'u1' }), stop])
    const result = { type: 'result', subtype: 'error_during_execution', is_error: true }
    expect(read([result], state).turn).toMatchObject({ status: 'interrupted' })
  })

  // Versions 1.0.128 and 2.0.77 end an interrupted turn with this result. It added an error that neither the files nor the stream have.
  describe('an interrupted turn of a version before 2.1 comes again', () => {
    const stop = userMessage([text('[Request interrupted by user]')], { uuid: 'u9' })
    const result = { type: 'result', subtype: 'error_during_execution', is_error: false, session_id: 's' }
    const half = [messageStart('m2'), blockStart('m2', 0, toolUse('t2', 'Read', {}))]
    const answered = [
      userMessage('Hi.', { uuid: 'u1', sessionId: 's' }),
      modelSays('m1', 'One.', { uuid: 'u2', sessionId: 's' }),
    ]
    it.each([
      ['behind a history that was cut', [...answered.slice(0, 1)], [stop, result]],
      ['without the line of the interruption', [...answered.slice(0, 1)], [result]],
      ['behind a text without a stop reason', [...answered, stop], [...half, stop, result]],
      ['with a call that the history lacks', [...answered, stop], [...half, result]],
    ])('%s', (_name, history, stream) => {
      const session = claudeSource.read(claudeSource.open(), history).session
      const ended = claudeSource.end(session).session
      for (const from of [session, ended, claudeSource.open(session.state), claudeSource.open(ended.state)]) {
        const { state } = claudeSource.read(from, [
          { type: 'system', subtype: 'init', session_id: 's' },
          ...stream,
        ]).session
        expect(state.turn.status).toBe('interrupted')
        expect(state.blocks.map(({ type }) => type)).not.toContain('error')
        expect(idsOf(state)).not.toContain('t2')
      }
    })
  })

  it('takes back half a call of a message that broke off, if the stream comes again', () => {
    const stream = [
      userMessage('Hi.', { uuid: 'u1' }),
      messageStart('m1'),
      blockStart('m1', 0, toolUse('t1', 'Read', {})),
      messageStart('m2'),
      blockStart('m2', 0, text('')),
      modelSays('m2', 'Done.', { uuid: 'u2' }),
      messageDelta('m2', 'end_turn', {}),
      { type: 'stream_event', session_id: 's', event: { type: 'message_stop' } },
      { type: 'result', subtype: 'success', is_error: false, result: 'Done.' },
    ]
    const state = read(stream)
    expect(idsOf(read(stream, state))).toEqual(idsOf(state))
  })

  // The end of the first run ended the second one, and the end of the second one was lost.
  it('waits for the last run of a resumed agent while a stream repeats the first run', () => {
    const firstRun = [
      assistantMessage('m1', agentCall('t1'), { uuid: 'u1' }),
      taskStarted('a1', 't1', { run_id: 'r1' }),
      taskUpdated('a1', 'completed', { run_id: 'r1' }),
      taskNotified('a1', 't1', { summary: 'One.', summary_is_report: true, run_id: 'r1' }),
    ]
    const secondRun = [
      taskStarted('a1', 's1', { run_id: 'r2' }),
      taskUpdated('a1', 'completed', { run_id: 'r2' }),
      taskNotified('a1', 's1', { summary: 'Two.', summary_is_report: true, run_id: 'r2' }),
    ]
    const stored = [
      assistantMessage('m1', agentCall('t1'), { uuid: 'u1' }),
      toolResult('t1', 'One.', { uuid: 'u2', tool_use_result: completedRecord('a1', 'One.') }),
      assistantMessage('m2', toolUse('s1', 'SendMessage', { to: 'a1' }), { uuid: 'u3' }),
      toolResult('s1', 'Resuming.', { uuid: 'u4', tool_use_result: { resumedAgentId: 'a1' } }),
    ]
    const state = read(stored)
    expect(state.subagents).toMatchObject([{ status: 'running', output: 'One.' }])
    expect(read(firstRun, state).subagents).toMatchObject([{ status: 'running', output: 'One.' }])
    expect(read([...firstRun, ...secondRun], state).subagents).toMatchObject([
      { status: 'success', output: 'Two.' },
    ])
  })

  // Version 2.1.197 reports a failed agent as completed before the result of its call.
  it('takes another end of an agent until its parent writes on', () => {
    const ended = [
      userMessage('Go.', { uuid: 'u0' }),
      assistantMessage('m1', agentCall('t1'), { uuid: 'u1' }),
      taskStarted('a1', 't1'),
      taskUpdated('a1', 'completed'),
    ]
    const failed = toolResult('t1', 'API Error: 400', { uuid: 'u2', is_error: true })
    expect(read([failed], read(ended)).subagents).toMatchObject([{ status: 'error' }])
    const later = read([...ended, modelSays('m2', 'Done.', { uuid: 'u3' })])
    expect(read([taskUpdated('a1', 'failed')], later).subagents).toMatchObject([{ status: 'success' }])
  })

  it('knows the prompt and the end of an agent', () => {
    const work = [
      assistantMessage('m1', agentCall('t1'), { uuid: 'u1' }),
      taskStarted('a1', 't1'),
      userMessage([text('Do t1.')], { uuid: 'u2', ...fromSubagent('t1', 'a1') }),
      assistantMessage('s1', text('Report.'), { uuid: 'u3', ...fromSubagent('t1', 'a1') }),
      taskUpdated('a1', 'completed'),
      toolResult('t1', 'Report.', { uuid: 'u4', tool_use_result: completedRecord('a1', 'Report.') }),
    ]
    const state = read(work)
    expect(state.subagents).toMatchObject([{ status: 'success', output: 'Report.' }])
    const other = work.map((line) =>
      line.uuid === undefined ? line : { ...line, uuid: `other ${line.uuid}` },
    )
    expect(read(other, state)).toBe(state)
  })
})
