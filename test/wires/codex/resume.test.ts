import { describe, expect, it } from 'vitest'
import type { SessionConversationState } from '../../../src/entries/index.ts'
import { codexSource } from '../../../src/wires/codex/source.ts'
import { ofType, textsOf } from '../recordings.ts'
import {
  entry,
  event,
  type Fields,
  head,
  item,
  line,
  note,
  resumed,
  started,
  stateOf,
  threadId,
  turnId,
} from './made-lines.ts'

/** Returns the state at the end of an input. */
function ended(messages: readonly unknown[]): SessionConversationState {
  return codexSource.end(codexSource.read(codexSource.open(), messages).session).session.state
}

const thread = { method: 'thread/started', params: { thread: { id: threadId } } }
const begin = (id = turnId, at = 1000) => note('turn/started', { turn: { id, rootTurnId: id } }, at)
const end = (status = 'completed', at = 9000, id = turnId) =>
  note('turn/completed', { turn: { id, status } }, at)
const start = item({ type: 'agentMessage', id: 'm', text: '' }, 'item/started')
const delta = (words: string) => note('item/agentMessage/delta', { itemId: 'm', delta: words })

describe('a text that streams at a resume', () => {
  const before = [thread, begin(), start, delta('One long '), delta('answer')]

  it('comes again from its start', () => {
    expect(textsOf(resumed(before, [...before.slice(2), delta('.')]))).toEqual(['One long answer.'])
    expect(textsOf(resumed(before, [delta('One '), start, delta('!')]))).toEqual(['One long answerOne !'])
  })

  it('is whole with its item', () => {
    const whole = item({ type: 'agentMessage', id: 'm', text: 'One.' })
    expect(textsOf(resumed(before, [delta('x'), whole, delta('y')]))).toEqual(['One.'])
  })
})

describe('the turn of a resumed state', () => {
  it('goes on if its start comes again, or the end of the turn before', () => {
    const turns = [begin(turnId, 100), end('completed', 200), begin('second', 1000)]
    const begun = note('item/started', {
      turnId: 'second',
      item: { type: 'agentMessage', id: 'm', text: '' },
    })
    const state = resumed([thread, ...turns, begun], turns)
    expect(state.turn).toMatchObject({ status: 'running', startedAt: '1970-01-01T00:00:01.000Z' })
    expect(state.blocks.at(-1)).toMatchObject({ status: 'pending' })
  })

  it('was stopped if another turn starts', () => {
    const state = resumed([thread, begin(), start], [begin('next', 5000)])
    expect(state.turn).toMatchObject({ status: 'running', startedAt: '1970-01-01T00:00:05.000Z' })
    expect(state.blocks.at(-1)).toMatchObject({ status: 'complete' })
  })
})

describe('a turn that the end of an input cut', () => {
  const turns = [thread, begin('first', 100), end('completed', 200, 'first'), begin()]

  it('is not ended by the end of the turn before, which comes again', () => {
    const state = stateOf([end('completed', 200, 'first')], ended([...turns, start, delta('Half')]))
    expect(state.turn).toMatchObject({ status: 'interrupted', openBlocks: ['m'] })
  })

  it('goes on with the rest of a delta that begins with its end', () => {
    const cut = ended([...turns, start, delta('A half answer')])
    const state = stateOf([delta('half answer.')], cut)
    expect([state.turn.status, textsOf(state)]).toEqual(['running', ['A half answer.']])
  })

  it('does not go on with output that may come again', () => {
    const call = { type: 'commandExecution', id: 'c', command: 'ls', status: 'inProgress' }
    const output = note('item/commandExecution/outputDelta', { itemId: 'c', delta: 'a.txt' })
    const reading = codexSource.read(
      codexSource.open(ended([...turns, item(call, 'item/started'), output])),
      [output],
    )
    expect(reading.issues).toEqual([])
    expect(reading.session.state.turn.status).toBe('interrupted')
  })
})

it('ends an agent of a resumed state by its report, at any depth', () => {
  const activity = (id: string, agent: string, path: string, of = threadId) =>
    note('item/completed', {
      threadId: of,
      item: { type: 'subAgentActivity', id, kind: 'started', agentThreadId: agent, agentPath: path },
    })
  const report = (author: string) =>
    entry({
      type: 'agent_message',
      author,
      content: [{ type: 'input_text', text: 'Message Type: FINAL_ANSWER\nPayload:\nDone.' }],
    })
  const before = [
    thread,
    begin(),
    activity('one', 'x', '/root/outer'),
    activity('two', 'y', '/root/outer/inner', 'x'),
  ]
  const statuses = (...after: readonly unknown[]) =>
    resumed(before, after).subagents.map(({ status, output }) => [status, output])
  expect(statuses(report('/root/outer/inner'))).toEqual([
    ['running', undefined],
    ['success', 'Done.'],
  ])
  expect(statuses(report('/root/inner'))).toEqual([
    ['running', undefined],
    ['running', undefined],
  ])
})

it('has the time of a stored call before its result, and after a resume', () => {
  const call = entry({ type: 'function_call', name: 'exec_command', call_id: 'c', arguments: '{"cmd":"ls"}' })
  const output = entry({ type: 'function_call_output', call_id: 'c', output: 'a.txt' })
  const timesAfter = (...after: readonly unknown[]) =>
    resumed([head, started, call], after).blocks.map(({ timestamp }) => timestamp)
  expect(timesAfter()).toEqual(['2026-11-22T17:00:00.000Z'])
  expect(timesAfter(output)).toEqual(['2026-11-22T17:00:00.000Z', '2026-11-22T17:00:00.000Z'])
})

it('takes the item of a call for more certain than its output, also after a resume', () => {
  const output = entry({ type: 'function_call_output', call_id: 'c', output: 'aborted by user after 1.0s' })
  const whole = event({
    type: 'item_completed',
    thread_id: threadId,
    item: { type: 'CommandExecution', id: 'c', command: ['ls'], aggregated_output: 'half', status: 'failed' },
  })
  const state = resumed([head, started, output], [whole, output])
  expect(ofType(state, 'tool_result')).toMatchObject([{ output: 'half', isError: true }])
})

describe('the processes of exec', () => {
  const begun = { type: 'thread.started', thread_id: threadId }
  const turn = { type: 'turn.started' }
  const answer = (text: string) => ({
    type: 'item.completed',
    item: { id: 'item_0', type: 'agent_message', text },
  })
  const done = { type: 'turn.completed', usage: { input_tokens: 5, output_tokens: 1 } }
  const first = [begun, turn, answer('One.'), done]
  const second = [begun, turn, answer('Two.')]

  it.each([1, 2, 4, 5, 6, 7])('keep their numbers at message %i', (cut) => {
    const all = [...first, ...second]
    expect(resumed(all.slice(0, cut), all.slice(cut)).blocks.map(({ id }) => id)).toEqual([
      'exec:1:item_0',
      'exec:2:item_0',
    ])
  })
})

it('a state with turns that the person took back goes on at every line, with the same ids', () => {
  const at = (second: number, line: Fields, part = 0): Fields => ({
    ...line,
    timestamp: `2026-11-22T17:00:0${second}.00${part}Z`,
  })
  const turn = (second: number, words: string) => [
    at(second, event({ type: 'task_started', turn_id: `turn-${second}` })),
    at(second, event({ type: 'user_message', message: words }), 1),
    at(second, event({ type: 'agent_message', message: `${words} Done.` }), 2),
    at(second, event({ type: 'task_complete', turn_id: `turn-${second}` }), 3),
  ]
  const back = (second: number) => at(second, event({ type: 'thread_rolled_back', num_turns: 1 }))
  const lines = [
    head,
    ...turn(1, 'One.'),
    ...turn(2, 'Two.'),
    back(3),
    ...turn(4, 'Three.'),
    back(5),
    ...turn(6, 'Four.'),
  ]
  const idsIn = ({ blocks }: SessionConversationState) => blocks.map(({ id }) => id)
  const whole = idsIn(resumed([], lines))
  for (const cut of lines.keys()) {
    // A report waits for its entry at the other cuts.
    if (lines[cut - 1]?.type === 'event_msg' && /"agent_message"/.test(JSON.stringify(lines[cut - 1])))
      continue
    expect(idsIn(resumed(lines.slice(0, cut), lines.slice(cut))), `cut ${cut}`).toEqual(whole)
  }
})

it('shows no agent for a thread of another session that has begun before a resume', () => {
  const title = { threadId: 'title', turnId: 'title-turn' }
  const before = [
    thread,
    begin(),
    note('turn/started', { ...title, turn: { id: 'title-turn', rootTurnId: 'title-turn' } }),
  ]
  const words = { type: 'agentMessage', id: 'x', text: 'A title' }
  expect(resumed(before, [note('item/completed', { ...title, item: words })]).subagents).toEqual([])
})

describe('messages that come again', () => {
  const twice = (messages: readonly unknown[]) => {
    const { session } = codexSource.read(codexSource.open(), messages)
    return codexSource.read(session, messages.slice(1)).session.state.blocks.map(({ id }) => id)
  }
  const once = (messages: readonly unknown[]) => stateOf(messages).blocks.map(({ id }) => id)

  it('show a report once while it waits for its entry', () => {
    const report = event({ type: 'agent_message', message: 'Well.' })
    const lines = [head, started, report]
    const entryOf = entry({
      type: 'message',
      id: 'm1',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'Well.' }],
    })
    const { session } = codexSource.read(codexSource.open(), lines)
    const again = codexSource.read(session, [report, entryOf]).session.state
    expect(again.blocks.map(({ id }) => id)).toEqual(['m1'])
  })

  it('keep the text after a retry', () => {
    const retry = note('error', { error: { message: 'Reconnecting... 1/3' }, willRetry: true }, 1000)
    const messages = [thread, begin(), retry, start, delta('One.')]
    expect(twice(messages)).toEqual(once(messages))
    expect(once(messages)).toContain('m')
  })
})

it('the result of a call that wrote a plan stays no block behind a state alone, whatever it says', () => {
  const plan = JSON.stringify({ plan: [{ step: 'Sow.', status: 'pending' }] })
  const before = [
    head,
    started,
    entry({ type: 'function_call', call_id: 'p', name: 'update_plan', arguments: plan }),
  ]
  const after = [entry({ type: 'function_call_output', call_id: 'p', output: 'The plan could not be read' })]
  expect(ofType(resumed(before, after), 'tool_result')).toEqual([])
  expect(ofType(ended([...before, ...after]), 'tool_result')).toEqual([])
})

it('the result of an unknown call in a later turn stays a block behind a state alone', () => {
  const before = [head, started, event({ type: 'task_complete', turn_id: turnId })]
  const after = [
    line('event_msg', { type: 'task_started', turn_id: 'later' }, '2026-11-22T17:01:00.000Z'),
    entry({ type: 'function_call_output', call_id: 'x', output: 'Rain.' }),
  ]
  const whole = stateOf([...before, ...after])
  expect(ofType(whole, 'tool_result')).toMatchObject([{ output: 'Rain.' }])
  expect(resumed(before, after).blocks).toEqual(whole.blocks)
})
