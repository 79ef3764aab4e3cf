import { describe, expect, it } from 'vitest'
import { type AgUiEvent, agUiSink, toAgUiState } from '../../../src/entries/ag-ui.ts'
import {
  createInitialConversationState,
  reduceSessionEvents,
  type SessionEvent,
} from '../../../src/entries/index.ts'
import { restOfJson } from '../../../src/sinks/ag-ui/sink.ts'
import { readEvents, seenInState } from './reader.ts'

type Batch = readonly SessionEvent[]

const running: SessionEvent = { type: 'session:running' }
const idle: SessionEvent = { type: 'session:idle', outcome: 'finished' }
const spawn = {
  type: 'subagent:spawned',
  toolUseId: 'A',
  conversationId: 'main',
  subagentType: 'explorer',
  description: 'Look.',
  prompt: 'Look around.',
} as const satisfies SessionEvent

describe('runs', () => {
  it('begins the next run if a batch ends one turn and starts another', async () => {
    const { types } = await run([
      [{ ...running, timestamp: '2026-01-01T00:00:00Z' }],
      [idle, { ...running, timestamp: '2026-01-01T00:01:00Z' }],
    ])
    expect(types.filter((type) => type === 'RUN_STARTED')).toHaveLength(2)
  })

  it.each<[string, Batch[]]>([
    ['a stopped turn', [[running], [{ type: 'session:idle', outcome: 'interrupted' }]]],
    ['a session that ends while its turn runs', [[running]]],
  ])('ends %s as cancelled', async (_, batches) => {
    const { out } = await run(batches)
    expect(out.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'cancelled' } })
  })

  it('ends with an interrupt while a request waits, and goes on after the answer', async () => {
    const request = {
      id: 'q',
      type: 'request',
      status: 'pending',
      kind: 'permission',
      title: 'Run ls?',
      toolUseId: 'c',
      options: [{ id: 'yes', label: 'Yes' }],
    } as const
    const { out, seen } = await run([[running, spawn], [upsert(request, 'A')]])
    const interrupt = {
      id: 'A/q',
      reason: 'permission',
      message: 'Run ls?',
      toolCallId: 'A/c',
      subagentRunId: 'A',
      metadata: { options: request.options, toolUseId: 'c' },
    }
    expect(out.at(-1)).toMatchObject({ outcome: { type: 'interrupt', interrupts: [interrupt] } })
    expect(seen.interrupts).toEqual([interrupt])
    const { types } = await run([
      [running],
      [upsert(request)],
      [upsert({ ...request, status: 'complete', answer: 'yes' })],
    ])
    expect(types.filter((type) => type === 'RUN_STARTED')).toHaveLength(2)
  })

  it('names the session as the thread', async () => {
    const { out } = await run([[{ type: 'session:updated', facts: { id: 's' } }, running]])
    expect(out[0]).toMatchObject({ type: 'RUN_STARTED', threadId: 's', runId: 's:1' })
  })

  it('gives nothing for a session that has not begun', async () => {
    const { out } = await run([[]])
    expect(out).toEqual([])
    const state = createInitialConversationState()
    expect(agUiSink.translate(agUiSink.initial, { ...state }).out).toEqual([])
  })
})

describe('agents', () => {
  it('gives a failed agent as an error, and its call as a failed one', async () => {
    const { out } = await run([
      [running, spawn],
      [{ type: 'subagent:completed', toolUseId: 'A', status: 'error', output: 'No.' }],
    ])
    expect(out).toContainEqual({
      type: 'SUBAGENT_STARTED',
      subagentRunId: 'A',
      name: 'explorer',
      description: 'Look.',
      parentToolCallId: 'A',
    })
    expect(out).toContainEqual({ type: 'SUBAGENT_ERROR', subagentRunId: 'A', message: 'No.' })
    expect(out).toContainEqual(expect.objectContaining({ toolCallId: 'A', metadata: { isError: true } }))
  })

  it('has words for an agent that failed without any, and a name for one that has none', async () => {
    const { out } = await run([
      [running, { type: 'subagent:completed', toolUseId: 'A', status: 'error' }],
      [{ type: 'subagent:completed', toolUseId: 'B', status: 'completed' }],
    ])
    expect(out).toContainEqual({ type: 'SUBAGENT_ERROR', subagentRunId: 'A', message: 'The agent failed.' })
    expect(out).toContainEqual({ type: 'SUBAGENT_STARTED', subagentRunId: 'A', name: 'agent' })
    expect(out).toContainEqual({
      type: 'SUBAGENT_FINISHED',
      subagentRunId: 'B',
      outcome: { type: 'success' },
    })
  })
})

describe('messages', () => {
  it('completes arguments that streamed with spaces', async () => {
    const call = { id: 'c', type: 'tool_use', toolName: 'ls', toolUseId: 'c' } as const
    const { out } = await run([
      [running, upsert({ ...call, status: 'pending', input: {} })],
      [upsert({ ...call, status: 'pending', input: {}, inputText: '{ "path": "a' })],
      [upsert({ ...call, status: 'pending', input: { path: 'ab' } })],
      [upsert(resultOf('c', [{ type: 'text', text: 'x' }]))],
      [upsert(resultOf('c', { any: 'thing' }))],
    ])
    const deltas = out.flatMap((event) => (event.type === 'TOOL_CALL_ARGS' ? [event.delta] : []))
    expect(deltas).toEqual(['{ "path": "a', 'b"}'])
    expect(out.map(({ type }) => type)).toContain('MESSAGES_SNAPSHOT')
  })

  it('keeps the plan, the requests and the agents in the shared state', async () => {
    const { state, out } = await run([
      [running, spawn],
      [{ type: 'todos:updated', conversationId: 'main', todos: [{ text: 'a', status: 'pending' }] }],
      [{ type: 'todos:updated', conversationId: 'A', todos: [{ text: 'b', status: 'pending' }] }],
      [{ ...spawn, toolUseId: 'B' }],
    ])
    expect(toAgUiState(state)).toMatchObject({
      todos: [{ text: 'a', status: 'pending' }],
      agents: [{ id: 'A', name: 'explorer', todos: [{ text: 'b' }] }, { id: 'B' }],
    })
    expect(out.filter(({ type }) => type === 'STATE_SNAPSHOT')).toHaveLength(1)
  })
})

it.each([
  ['{ "a": "b', '{"a":"bc"}', 'c"}'],
  ['{"a":"\\', '{"a":"\\"x"}', '"x"}'],
  ['{"a":"\\" ', '{"a":"\\" x"}', 'x"}'],
  ['{"a":1.0', '{"a":1}', undefined],
  [' ', '{}', '{}'],
])('completes the JSON text %j', (streamed, whole, rest) => {
  expect(restOfJson(streamed, whole)).toBe(rest)
})

/** Passes the state after each batch to the sink, and checks what the client has after each. */
async function run(batches: readonly Batch[]) {
  let state = createInitialConversationState()
  let memory = agUiSink.initial
  let seen = await readEvents([])
  const out: AgUiEvent[] = []
  for (const batch of batches) {
    state = reduceSessionEvents(state, batch)
    const step = agUiSink.translate(memory, state)
    memory = step.memory
    out.push(...step.out)
    const all = [...out, ...agUiSink.end(memory, state).out]
    seen = await readEvents(all)
    expect(seen).toMatchObject(JSON.parse(JSON.stringify(seenInState(state))))
  }
  out.push(...agUiSink.end(memory, state).out)
  return { out, state, seen, types: out.map(({ type }) => type) }
}

function upsert(block: object, conversationId = 'main'): SessionEvent {
  return { type: 'block:upsert', conversationId, block } as SessionEvent
}

function resultOf(toolUseId: string, output: unknown): object {
  return {
    id: `${toolUseId}:result`,
    type: 'tool_result',
    status: 'complete',
    toolUseId,
    output,
    isError: false,
  }
}
