import { describe, expect, it } from 'vitest'
import { sessionStatus } from '../../../src/entries/index.ts'
import { ended, entry, type Fields, head, readLines, started } from './made-lines.ts'

// The stream of `codex exec`, and a rollout whose agents' files are missing, have no messages of the agents.

const begin = [{ type: 'thread.started', thread_id: 't' }, { type: 'turn.started' }]
const end = { type: 'turn.completed', usage: { input_tokens: 9, output_tokens: 3 } }

/** Returns a call about agents. Each call has an id of its own. */
function calls() {
  let number = 0
  return (tool: string, states: Readonly<Record<string, string | undefined>>, fields: Fields = {}) => {
    number += 1
    const item = {
      id: `item_${number}`,
      type: 'collab_tool_call',
      tool,
      receiver_thread_ids: Object.keys(states),
      status: 'completed',
      agents_states: Object.fromEntries(
        Object.entries(states).map(([id, message]) => [
          id,
          { status: message === undefined ? 'running' : 'completed', message },
        ]),
      ),
      ...fields,
    }
    return { type: 'item.completed', item }
  }
}

const agentsOf = (...messages: readonly unknown[]) =>
  readLines(...begin, ...messages, end).state.subagents.map(({ status, output }) => [status, output])

describe('an agent without messages of its own', () => {
  it('runs from the message to it until its report', () => {
    const call = calls()
    const messages = [call('spawn_agent', { a: undefined }), call('wait', { a: 'A1' })]
    expect(agentsOf(...messages)).toEqual([['success', 'A1']])
    // The process stops its agents when it ends.
    expect(agentsOf(...messages, call('send_input', { a: 'A1' }))).toEqual([['error', 'A1']])
  })

  it('does not run after a message that has failed', () => {
    const call = calls()
    const messages = [call('spawn_agent', { a: undefined }), call('wait', { a: 'A1' })]
    expect(agentsOf(...messages, call('send_input', { a: 'A1' }, { status: 'failed' }))).toEqual([
      ['success', 'A1'],
    ])
  })

  it('has a further report although it still ran when the message came', () => {
    const call = calls()
    expect(
      agentsOf(
        call('spawn_agent', { a: undefined }),
        call('send_input', { a: undefined }),
        call('wait', { a: 'A1' }),
        call('wait', { a: 'A2' }),
      ),
    ).toEqual([['success', 'A2']])
  })

  it('keeps its report if an earlier call comes again', () => {
    const call = calls()
    const messages = [
      call('spawn_agent', { a: undefined }),
      call('wait', { a: 'A1' }),
      call('send_input', { a: 'A1' }),
      call('wait', { a: 'A2' }),
    ]
    for (const at of messages.keys()) {
      const { state, events } = readLines(...begin, ...messages, ...messages.slice(at), end)
      expect(state.subagents).toMatchObject([{ status: 'success', output: 'A2' }])
      expect(events.filter(({ type }) => type === 'subagent:resumed')).toHaveLength(1)
    }
  })

  it('ends by the outputs of calls in a rollout without items', () => {
    const functionCall = (id: string, name: string, input: object, output: object) => [
      entry({ type: 'function_call', name, call_id: id, arguments: JSON.stringify(input) }),
      entry({ type: 'function_call_output', call_id: id, output: JSON.stringify(output) }),
    ]
    const { state, issues } = readLines(
      head,
      started,
      ...functionCall('s', 'spawn_agent', { message: 'Go.' }, { agent_id: 'a' }),
      ...functionCall('w', 'wait_agent', { targets: ['a'] }, { status: { a: { completed: 'A1' } } }),
      ...functionCall('i', 'send_input', { target: 'a', message: 'More.' }, { submission_id: 'x' }),
      ...functionCall('c', 'close_agent', { target: 'a' }, { previous_status: { completed: 'A2' } }),
      ended,
    )
    expect(state.subagents).toMatchObject([{ toolUseId: 's', status: 'success', output: 'A2' }])
    expect(sessionStatus(state)).toBe('finished')
    expect(issues).toEqual([])
    const waits = (...lines: readonly object[]) =>
      readLines(head, started, ...lines, ended).state.blocks.filter(({ id }) => id.startsWith('w'))
    const states = { status: { a: { completed: 'A1' } }, timed_out: false }
    const whole = waits(...functionCall('w', 'wait_agent', { targets: ['a'] }, states))
    // A stream has the states of the agents.
    expect(whole).toMatchObject([
      { input: { agentIds: ['a'] } },
      { output: { a: { status: 'completed', message: 'A1' } } },
    ])
    expect(waits(...functionCall('w', 'wait', { ids: ['a'], timeout_ms: 9 }, states))).toEqual(whole)
    expect(waits(...functionCall('w', 'wait', { ms: 9 }, { done: true }))).toMatchObject([
      { toolName: 'wait' },
      {},
    ])
  })
})
