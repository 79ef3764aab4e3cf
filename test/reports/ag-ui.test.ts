import { describe, expect, it } from 'vitest'
import { agUiSource } from '../../src/entries/ag-ui.ts'
import { linesOf } from './reports.ts'

// Some servers send the work of an agent before its start, which names the call. The agent was split in two.

type Event = Readonly<Record<string, unknown>>

const events: readonly Event[] = linesOf('ag-ui/work-before-start/stream.ndjson').map((line) =>
  JSON.parse(line),
)

function stateOf(each: readonly Event[]) {
  const { session, issues } = agUiSource.read(agUiSource.open(), each)
  const ended = agUiSource.end(session)
  expect([...issues, ...ended.issues]).toEqual([])
  return ended.session.state
}

const isStart = ({ type }: Event) => type === 'SUBAGENT_STARTED'
const start = events.filter(isStart)
const others = events.filter((event) => !isStart(event))
const called = others.findIndex(({ type }) => type === 'TOOL_CALL_END') + 1

/** Work of the agent of all kinds. */
const work: readonly Event[] = [
  { type: 'REASONING_MESSAGE_START', messageId: 'think', role: 'reasoning' },
  { type: 'REASONING_MESSAGE_CONTENT', messageId: 'think', delta: 'Which yard?' },
  { type: 'REASONING_MESSAGE_END', messageId: 'think' },
  { type: 'TOOL_CALL_START', toolCallId: 'ask', toolCallName: 'ask', parentMessageId: 'mv' },
  { type: 'TOOL_CALL_ARGS', toolCallId: 'ask', delta: '{"yard":"north"}' },
  { type: 'TOOL_CALL_END', toolCallId: 'ask' },
  { type: 'TOOL_CALL_RESULT', messageId: 'r_ask', toolCallId: 'ask', content: 'Dear.', role: 'tool' },
].map((event) => ({ ...event, subagentRunId: 'sub_v' }))

describe('an agent that works before its start', () => {
  it('is the agent of its call', () => {
    const state = stateOf(events)
    expect(state.subagents).toMatchObject([
      { toolUseId: 'tc_v', agentId: 'sub_v', name: 'buyer', status: 'success', output: 'Oak is dear.' },
    ])
    expect(state.blocks.map(({ type }) => type)).toEqual(['user_message', 'subagent'])
  })

  it.each([
    ['its texts', others],
    ['thinking, a call and its result', [...others.slice(0, called), ...work, ...others.slice(called)]],
    [
      'an error',
      others.map((event) =>
        event.type === 'SUBAGENT_FINISHED' ? { ...event, type: 'SUBAGENT_ERROR', message: 'Shut.' } : event,
      ),
    ],
  ] as const)('is the same wherever its start stands, with %s', (_, each) => {
    const right = stateOf([...each.slice(0, called), ...start, ...each.slice(called)])
    const end = each.findIndex(({ type }) => type === 'SUBAGENT_FINISHED' || type === 'SUBAGENT_ERROR')
    for (let at = called; at <= end; at += 1)
      expect(stateOf([...each.slice(0, at), ...start, ...each.slice(at)])).toEqual(right)
  })
})
