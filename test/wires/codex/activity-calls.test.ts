import { describe, expect, it } from 'vitest'
import { compareSessions } from '../../../src/entries/parity.ts'
import {
  beginTurn,
  ended,
  endTurn,
  entry,
  event,
  item,
  line,
  note,
  readLines,
  stored,
  turnOf,
} from './made-lines.ts'

// A stream shows `interrupt_agent` and `followup_task` by what became of the agent alone, under the id of the call.

const activity = (id: string, kind: string) => ({ id, kind, agentThreadId: 'x', agentPath: '/root/helper' })
const live = (id: string, kind: string) => item({ type: 'subAgentActivity', ...activity(id, kind) })
const report = (id: string, text: string) =>
  note('item/completed', { threadId: 'x', turnId: id, item: { type: 'agentMessage', id: `m${id}`, text } })
const endOf = (id: string, status: string) =>
  note('turn/completed', { threadId: 'x', turnId: id, turn: { id, status } })

const stream = [
  ...beginTurn,
  live('spawn', 'started'),
  turnOf('x', 'u1', 'turn'),
  live('stop', 'interrupted'),
  endOf('u1', 'interrupted'),
  live('more', 'interacted'),
  turnOf('x', 'u2', 'turn'),
  report('u2', 'All is done.'),
  endOf('u2', 'completed'),
  endTurn(),
]

const call = (id: string, name: string, input: object) =>
  entry({
    type: 'function_call',
    call_id: id,
    name,
    namespace: 'collaboration',
    arguments: JSON.stringify(input),
  })
const output = (id: string, text: string) =>
  entry({ type: 'function_call_output', call_id: id, output: text })
const sign = (id: string, kind: string) =>
  stored({ type: 'SubAgentActivity', id, kind, agent_thread_id: 'x', agent_path: '/root/helper' })
const rollout = [
  line('session_meta', { id: 't', cwd: '/srv/demo', cli_version: '0.169.0' }),
  event({ type: 'task_started', turn_id: 'turn' }),
  call('spawn', 'spawn_agent', { task_name: 'helper', message: 'Help.' }),
  sign('spawn', 'started'),
  output('spawn', '{"task_name":"/root/helper"}'),
  call('stop', 'interrupt_agent', { target: 'helper' }),
  sign('stop', 'interrupted'),
  output('stop', '{"previous_status":"running"}'),
  call('more', 'followup_task', { target: 'helper', message: 'Go on.' }),
  sign('more', 'interacted'),
  output('more', ''),
  ended,
]

describe('a call about an agent that a stream shows by its effect', () => {
  it('is a call with its result', () => {
    const { state, issues } = readLines(...stream)
    expect(state.blocks.filter(({ type }) => type !== 'subagent')).toMatchObject([
      { type: 'tool_use', toolUseId: 'stop', toolName: 'interrupt_agent', input: { target: '/root/helper' } },
      { type: 'tool_result', toolUseId: 'stop', output: { x: { status: 'interrupted' } }, isError: false },
      { type: 'tool_use', toolUseId: 'more', toolName: 'followup_task', input: { target: '/root/helper' } },
      { type: 'tool_result', toolUseId: 'more', isError: false },
    ])
    expect(state.subagents).toMatchObject([{ toolUseId: 'spawn', status: 'success', output: 'All is done.' }])
    expect(issues).toEqual([])
  })

  it('stays as the model wrote it in a rollout, and comes once', () => {
    const { state, issues } = readLines(...rollout)
    expect(state.blocks.filter(({ type }) => type !== 'subagent')).toMatchObject([
      { toolUseId: 'stop', toolName: 'interrupt_agent', input: { target: 'helper' } },
      { toolUseId: 'stop', output: '{"previous_status":"running"}' },
      { toolUseId: 'more', toolName: 'followup_task', input: { target: 'helper', message: 'Go on.' } },
      { toolUseId: 'more', output: '' },
    ])
    expect(issues).toEqual([])
    expect(readLines(...rollout, ...stream.slice(2)).state.blocks).toHaveLength(state.blocks.length)
  })

  it('is the same call in both forms for parity', () => {
    const [first, second] = [readLines(...stream).state, readLines(...rollout).state]
    const { differences } = compareSessions(
      { ...first, subagents: [], blocks: first.blocks.filter(({ type }) => type !== 'subagent') },
      { ...second, subagents: [], blocks: second.blocks.filter(({ type }) => type !== 'subagent') },
    )
    expect(differences).toEqual([])
  })
})
