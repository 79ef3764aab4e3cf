import { describe, expect, it } from 'vitest'
import { type AgUiEvent, agUiSink, toAgUiMessages, toAgUiState } from '../../../src/entries/ag-ui.ts'
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
  it('has a run for each turn', async () => {
    const { types } = await run([[running], [said('a', 'Hi.')], [idle], [running], [idle]])
    expect(types.filter((type) => type.startsWith('RUN'))).toEqual([
      'RUN_STARTED',
      'RUN_FINISHED',
      'RUN_STARTED',
      'RUN_FINISHED',
    ])
  })

  it('begins the next run if a batch ends one turn and starts another', async () => {
    const { types } = await run([
      [{ ...running, timestamp: '2026-01-01T00:00:00Z' }],
      [idle, { ...running, timestamp: '2026-01-01T00:01:00Z' }],
    ])
    expect(types.filter((type) => type === 'RUN_STARTED')).toHaveLength(2)
  })

  it('ends a failed turn with an error, once', async () => {
    const { out, types } = await run([
      [running],
      [{ type: 'session:idle', outcome: 'failed', error: 'Overloaded.' }],
      [said('late', 'Late.')],
    ])
    expect(out).toContainEqual({ type: 'RUN_ERROR', message: 'Overloaded.' })
    expect(types.at(-1)).toBe('RUN_FINISHED')
    const { out: unknown } = await run([[running], [{ type: 'session:idle', outcome: 'failed' }]])
    expect(unknown).toContainEqual({ type: 'RUN_ERROR', message: 'The turn failed.' })
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

  it('has one call for an id, whatever the number of blocks with it', async () => {
    const { out } = await run([
      [running],
      [upsert({ id: 'c', type: 'tool_use', status: 'complete', toolUseId: 'A', toolName: 'ls', input: {} })],
      [spawn],
      [{ type: 'subagent:completed', toolUseId: 'A', status: 'completed', output: 'Done.' }],
    ])
    expect(out).toContainEqual(expect.objectContaining({ type: 'TOOL_CALL_START', toolCallName: 'ls' }))
    expect(out).not.toContainEqual(expect.objectContaining({ toolCallName: 'agent' }))
    expect(out).toContainEqual(expect.objectContaining({ activityType: 'subagent' }))
  })

  it('starts parents first, and keeps the run open for an agent in the background', async () => {
    const nested: SessionEvent = { ...spawn, toolUseId: 'B', conversationId: 'A' }
    const { out, types } = await run([
      [running, spawn, nested],
      [idle],
      [said('b', 'Still here.', 'B')],
      [{ type: 'subagent:completed', toolUseId: 'B', status: 'completed', output: 'Done.' }],
      [{ type: 'subagent:completed', toolUseId: 'A', status: 'completed', output: 'Done.' }],
    ])
    expect(out).toContainEqual(expect.objectContaining({ subagentRunId: 'B', parentSubagentRunId: 'A' }))
    expect(types.filter((type) => type === 'RUN_STARTED')).toHaveLength(1)
    expect(types.at(-1)).toBe('RUN_FINISHED')
  })

  it('suspends an agent at the end of a run, and starts it and its parent again in the next', async () => {
    const stopped: SessionEvent = { type: 'session:idle', outcome: 'interrupted' }
    const nested: SessionEvent = { ...spawn, toolUseId: 'B', conversationId: 'A' }
    const { out } = await run([[running, spawn, nested], [stopped], [running, said('b', 'Back.', 'B')]])
    const lifecycle = out.flatMap((event) => (event.type.startsWith('SUBAGENT') ? [brief(event)] : []))
    expect(lifecycle.slice(0, 6)).toEqual([
      'SUBAGENT_STARTED A',
      'SUBAGENT_STARTED B',
      'SUBAGENT_FINISHED B suspended',
      'SUBAGENT_FINISHED A suspended',
      'SUBAGENT_STARTED A',
      'SUBAGENT_STARTED B',
    ])
  })

  it('begins a run for an agent that is resumed within one', async () => {
    const { types } = await run([
      [running, spawn],
      [{ type: 'subagent:completed', toolUseId: 'A', status: 'completed' }],
      [{ type: 'subagent:resumed', toolUseId: 'A' }],
    ])
    expect(types.filter((type) => type === 'RUN_STARTED')).toHaveLength(2)
  })
})

describe('messages', () => {
  it('streams texts, and opens a text again that goes on', async () => {
    const { types } = await run([
      [running, said('a', 'He', 'main', 'pending')],
      [{ type: 'block:delta', conversationId: 'main', blockId: 'a', delta: 'llo' }],
      [said('a', 'Hello')],
      [{ type: 'block:delta', conversationId: 'main', blockId: 'a', delta: '!' }],
    ])
    expect(types.filter((type) => type.startsWith('TEXT'))).toEqual([
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT',
      'TEXT_MESSAGE_CONTENT',
      'TEXT_MESSAGE_END',
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT',
      'TEXT_MESSAGE_END',
    ])
  })

  it('replaces a text that is another', async () => {
    const { types } = await run([[running, said('a', 'Hello')], [said('a', 'Bye')]])
    expect(types).toContain('MESSAGES_SNAPSHOT')
  })

  it('gives images and files in a snapshot, and a text of several parts as one', async () => {
    const prompt = (id: string, content: readonly object[]) =>
      upsert({ id, type: 'user_message', status: 'complete', content })
    const picture = { type: 'base64', mediaType: 'image/png', data: 'AA==' }
    const { state } = await run([
      [
        prompt('p', [
          { type: 'text', text: 'Look:' },
          { type: 'image', source: picture },
        ]),
      ],
      [prompt('q', [{ type: 'file', source: { type: 'url', url: 'https://x.test/a.pdf' }, name: 'a.pdf' }])],
      [
        prompt('p', [
          { type: 'text', text: 'Look:' },
          { type: 'image', source: picture },
        ]),
      ],
      [prompt('s', [{ type: 'file', source: { type: 'url', url: 'https://x.test/a', mediaType: 'a/b' } }])],
      [
        prompt('r', [
          { type: 'text', text: 'One' },
          { type: 'text', text: 'Two' },
        ]),
      ],
      [upsert({ id: 'm', type: 'user_message', status: 'complete', origin: 'meta', content: [] })],
    ])
    expect(toAgUiMessages(state).map((each) => each.role !== 'activity' && each.content)).toEqual([
      [
        { type: 'text', text: 'Look:' },
        { type: 'image', source: { type: 'data', value: 'AA==', mimeType: 'image/png' } },
      ],
      [
        {
          type: 'document',
          source: { type: 'url', value: 'https://x.test/a.pdf' },
          metadata: { name: 'a.pdf' },
        },
      ],
      [{ type: 'document', source: { type: 'url', value: 'https://x.test/a', mimeType: 'a/b' } }],
      'One\nTwo',
      '',
    ])
  })

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

  it('replaces a call that gets another name or other arguments', async () => {
    const call = { id: 'c', type: 'tool_use', status: 'pending', toolName: 'ls', toolUseId: 'c' } as const
    const other = (fields: object) =>
      run([
        [running, upsert({ ...call, input: { a: 1 } })],
        [upsert({ ...call, input: { a: 1 }, ...fields })],
      ])
    expect((await other({ toolName: 'dir' })).types).toContain('MESSAGES_SNAPSHOT')
    expect((await other({ input: { b: 1 } })).types).toContain('MESSAGES_SNAPSHOT')
  })

  it('gives a result without a call as an activity, until the call is there', async () => {
    const call = { id: 'c', type: 'tool_use', status: 'complete', toolName: 'ls', toolUseId: 'c', input: {} }
    const { out, state } = await run([
      [running, upsert(resultOf('c', 'x')), upsert(resultOf('d', 'y'))],
      [upsert(call), upsert({ ...call, id: 'again' }), upsert({ ...resultOf('c', 'z'), id: 'twice' })],
    ])
    expect(out).toContainEqual(expect.objectContaining({ type: 'ACTIVITY_SNAPSHOT', messageId: 'c:result' }))
    expect(toAgUiMessages(state).map(({ id, role }) => `${role} ${id}`)).toEqual([
      'activity d:result',
      'assistant c',
      'tool c:result',
      'activity again',
      'activity twice',
    ])
  })

  it('forgets removed blocks, reasoning and removed agents', async () => {
    const { types } = await run([
      [running, upsert({ id: 't', type: 'thinking', status: 'pending', content: 'Hm', redacted: true })],
      [upsert({ id: 's', type: 'system', status: 'complete', subtype: 'note', message: 'A note' })],
      [{ type: 'block:removed', conversationId: 'main', blockId: 't' }],
      [said('a', 'x'), said('b', 'y')],
      [{ type: 'block:removed', conversationId: 'main', blockId: 'a' }, said('c', 'z')],
    ])
    expect(types.filter((type) => type === 'MESSAGES_SNAPSHOT')).toHaveLength(6)
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

function said(id: string, content: string, conversationId = 'main', status = 'complete'): SessionEvent {
  return upsert({ id, type: 'assistant_text', status, content }, conversationId)
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

function brief(event: AgUiEvent): string {
  const outcome = event.type === 'SUBAGENT_FINISHED' ? ` ${event.outcome.type}` : ''
  return 'subagentRunId' in event ? `${event.type} ${event.subagentRunId}${outcome}` : event.type
}
