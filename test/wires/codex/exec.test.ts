import { describe, expect, it } from 'vitest'
import { codexSource } from '../../../src/entries/codex.ts'
import { codexFormat } from '../../../src/wires/codex/format.ts'
import { notesOf, ofType, textsOf } from '../recordings.ts'
import { entry, head, line, readLines, resumed, started as startedTurn } from './made-lines.ts'

const started = { type: 'thread.started', thread_id: 't' }
const begin = [started, { type: 'turn.started' }]
const usage = (input_tokens: number) => ({
  type: 'turn.completed',
  usage: { input_tokens, cached_input_tokens: 10, output_tokens: 5 },
})
const item = (fields: object, type = 'item.completed') => ({ type, item: fields })

describe('the lines of exec', () => {
  it('are recognized by their fields', () => {
    const { isMessage } = codexFormat
    const failed = { type: 'turn.failed', error: { message: 'The model refuses.' } }
    const text = item({ id: 'item_0', type: 'agent_message', text: 'Hi.' })
    for (const line of [started, usage(1), text]) expect(isMessage(line)).toBe(true)
    for (const line of [
      failed,
      item({ id: 'item_0' }),
      item({ id: 'item_0', type: 'shirt' }),
      { type: 'thread.started' },
      { type: 'turn.completed' },
      { type: 'turn.started' },
      { type: 'turn.failed', error: {} },
      { type: 'item.started' },
      item({}),
      { type: 7 },
      { type: 'error', message: 'x' },
    ])
      expect(isMessage(line)).toBe(false)
  })

  it('are of the next process after a turn that failed, also from any state', () => {
    const error = 'The model refuses.'
    const text = (words: string) => item({ id: 'item_0', type: 'agent_message', text: words })
    const lines = [
      ...begin,
      text('One.'),
      { type: 'error', message: error },
      { type: 'turn.failed', error: { message: error } },
      ...begin,
      text('Two.'),
      usage(250),
    ]
    for (const cut of lines.keys()) {
      const joined = resumed(lines.slice(0, cut), lines.slice(cut))
      const ids = joined.blocks.map(({ id }) => id)
      expect([cut, ids]).toEqual([cut, ['exec:1:item_0', 'exec:1:error', 'exec:2:item_0']])
    }
  })

  it('start no turn of main with that of an agent, which 0.104 shows', () => {
    const agent = { type: 'collab_tool_call', tool: 'spawn_agent', sender_thread_id: 't', prompt: 'Look.' }
    const call = (fields: object, type?: string) => item({ id: 'item_0', ...agent, ...fields }, type)
    const states = (status: string) => ({ receiver_thread_ids: ['a'], agents_states: { a: { status } } })
    const lines = [
      ...begin,
      call({ receiver_thread_ids: [], agents_states: {}, status: 'in_progress' }, 'item.started'),
      { type: 'turn.started' },
      call({ ...states('pending_init'), status: 'completed' }),
      item({ ...agent, id: 'item_1', tool: 'wait', ...states('completed'), status: 'completed' }),
      item({ id: 'item_2', type: 'agent_message', text: 'Done.' }),
      usage(100),
    ]
    const { state } = readLines(...lines)
    expect(state.subagents).toMatchObject([{ status: 'success', prompt: 'Look.' }])
    expect(state.turn).toMatchObject({ status: 'finished' })
    for (const cut of lines.keys()) {
      const joined = resumed(lines.slice(0, cut), lines.slice(cut))
      expect([cut, joined.subagents.map(({ status }) => status)]).toEqual([cut, ['success']])
    }
  })

  // A process that goes on with another model warns before its turn. A state with the warning counted the process twice.
  it('are of a process that has warned before its turn, also from any state', () => {
    const lines = [
      ...begin,
      item({ id: 'item_0', type: 'agent_message', text: 'One.' }),
      usage(20),
      started,
      item({ id: 'item_0', type: 'error', message: 'Another model.' }),
      { type: 'turn.started' },
      item({ id: 'item_1', type: 'agent_message', text: 'Two.' }),
      usage(40),
    ]
    const whole = ['exec:1:item_0', 'exec:2:item_0', 'exec:2:item_1']
    for (const cut of lines.keys()) {
      const { blocks } = resumed(lines.slice(0, cut), lines.slice(cut))
      expect(blocks.map(({ id }) => id)).toEqual(whole)
    }
  })

  it('count the tokens of each turn, over processes', () => {
    const { state } = readLines(
      ...begin,
      item({ id: 'item_0', type: 'agent_message', text: 'One.' }),
      usage(100),
      ...begin,
      item({ id: 'item_0', type: 'agent_message', text: 'Two.' }),
      usage(250),
    )
    expect(state.usage).toEqual([
      { messageId: 'exec:1:item_0', inputTokens: 90, outputTokens: 5, cacheReadTokens: 10, final: true },
      { messageId: 'exec:2:item_0', inputTokens: 150, outputTokens: 0, cacheReadTokens: 0, final: true },
    ])
    expect(textsOf(state)).toEqual(['One.', 'Two.'])
  })

  it('show retries, and one error for a turn that failed', () => {
    const { state } = readLines(
      ...begin,
      { type: 'error', message: 'Reconnecting... 1/3' },
      { type: 'error', message: 'no' },
      { type: 'turn.failed', error: { message: 'no' } },
    )
    expect(notesOf(state, 'retry')).toHaveLength(1)
    expect(ofType(state, 'error').map(({ message }) => message)).toEqual(['no'])
    expect(state.turn.status).toBe('failed')
  })

  // A saved state after a retry and before the first text began to count the processes anew.
  it('go on behind a state that has only a retry', () => {
    const messages = [...begin, { type: 'error', message: 'Reconnecting... 1/3' }]
    const text = item({ id: 'item_0', type: 'agent_message', text: 'One.' })
    const { session } = codexSource.read(codexSource.open(), messages)
    const goOn = (from: typeof session) => codexSource.read(from, [text]).session.state.blocks
    expect(goOn(codexSource.open(session.state))).toEqual(goOn(session))
  })

  it('show a turn that another process goes on from as interrupted', () => {
    const { state } = readLines(...begin, ...begin, usage(1))
    expect(state.turn.status).toBe('finished')
  })

  it('are issues if their items are unknown', () => {
    const { issues } = readLines(
      ...begin,
      item({ id: 'item_0', type: 'teapot' }),
      item({ type: 'todo_list', items: 7 }),
      usage(1),
    )
    expect(issues).toMatchObject([
      { code: 'unknown-block', messageType: 'item/teapot' },
      { code: 'unknown-block', messageType: 'item/todo_list' },
    ])
  })
})

it('agents in a rollout without their files end by their reports, and a message to main is no prompt', () => {
  const message = (kind: string, text: string) =>
    entry({
      type: 'agent_message',
      id: 'a',
      author: '/root/b',
      content: [{ type: 'input_text', text: `Message Type: ${kind}\nPayload:\n${text}` }],
    })
  const begun = [head, startedTurn]
  const activity = {
    type: 'SubAgentActivity',
    id: 'one',
    kind: 'started',
    agent_thread_id: 'x',
    agent_path: '/root/b',
  }
  const spawned = line('event_msg', { type: 'item_completed', thread_id: 't', item: activity })
  const failed = readLines(...begun, spawned, message('FINAL_ANSWER', 'Agent errored: broke')).state
  expect(failed.subagents).toMatchObject([{ status: 'error', output: 'broke' }])
  const { state } = readLines(
    ...begun,
    spawned,
    message('NOTE', 'Hello.'),
    message('FINAL_ANSWER', 'Done.'),
    message('FINAL_ANSWER', 'Again.'),
  )
  expect(state.subagents).toMatchObject([{ status: 'success', output: 'Done.' }])
  expect(ofType(state, 'user_message')).toEqual([])
})
