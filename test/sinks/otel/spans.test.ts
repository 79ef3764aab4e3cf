import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer'
import { describe, expect, it } from 'vitest'
import { isEqual } from '../../../src/core/json/equal.ts'
import {
  buildSessionTree,
  type SessionConversationState,
  type SessionEvent,
} from '../../../src/entries/index.ts'
import { type OtlpSpan, type OtlpTraces, spanSink, toSpans } from '../../../src/entries/otel.ts'
import { checkSink } from '../../../src/entries/testing.ts'
import { fold, idle, spawn, text, toolUse, upsert, usage } from '../../core/reducer/example.ts'
import { inputs } from '../../wires/inputs.ts'
import { readable } from './readable.ts'

const sessionId = 'session-1'

/** Every fourth input: each recording has about three, so all kinds take part. */
const states = inputs
  .filter((_, at) => at % 4 === 0)
  .map(({ name, source, messages }) => {
    const { events, session } = source.read(source.open(), messages)
    return { name, events, state: session.state }
  })

function spansIn({ resourceSpans }: OtlpTraces): readonly OtlpSpan[] {
  return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
}

function attribute({ attributes }: OtlpSpan, key: string): string | undefined {
  const value = attributes.find((each) => each.key === key)?.value
  return value && String(Object.values(value)[0])
}

const ofOperation = (spans: readonly OtlpSpan[], name: string) =>
  spans.filter((span) => attribute(span, 'gen_ai.operation.name') === name)

describe('the spans of every recording', () => {
  it('are those that OpenTelemetry writes itself', () => {
    for (const { state } of states) {
      const traces = toSpans(state, { sessionId, content: true })
      const bytes = JsonTraceSerializer.serializeRequest(readable(traces))
      expect(withoutDefaults(JSON.parse(new TextDecoder().decode(bytes)))).toEqual(traces)
    }
  })

  it('nest as the agents did, and begin before they end', () => {
    for (const { state } of states) {
      const spans = spansIn(toSpans(state, { sessionId }))
      const ids = new Set(spans.map(({ spanId }) => spanId))
      expect(ids.size).toBe(spans.length)
      const [root, ...others] = spans
      expect(root?.parentSpanId).toBeUndefined()
      for (const { parentSpanId, startTimeUnixNano, endTimeUnixNano } of others) {
        expect(ids.has(parentSpanId ?? '')).toBe(true)
        expect(BigInt(startTimeUnixNano) <= BigInt(endTimeUnixNano)).toBe(true)
      }
      expect(ofOperation(spans, 'invoke_agent')).toHaveLength(1 + state.subagents.length)
    }
  })

  it('have the tokens of each agent', () => {
    for (const { state } of states) {
      const spans = spansIn(toSpans(state, { sessionId }))
      const chats = ofOperation(spans, 'chat')
      const agents = ofOperation(spans, 'invoke_agent')
      for (const [at, { own }] of ownUsages(state).entries()) {
        const mine = chats.filter(({ parentSpanId }) => parentSpanId === agents[at]?.spanId)
        for (const [key, count] of [
          ['input_tokens', (own.final.inputTokens ?? 0) + (own.provisional.inputTokens ?? 0)],
          ['output_tokens', (own.final.outputTokens ?? 0) + (own.provisional.outputTokens ?? 0)],
        ] as const)
          expect(
            mine.reduce((sum, span) => sum + Number(attribute(span, `gen_ai.usage.${key}`) ?? 0), 0),
          ).toBe(count)
      }
    }
  })

  it('have no content unless it is asked for', () => {
    const allowed = new Set([
      ...['gen_ai.operation.name', 'gen_ai.agent.name', 'gen_ai.conversation.id', 'gen_ai.request.model'],
      ...['gen_ai.provider.name', 'gen_ai.response.id', 'gen_ai.tool.name', 'gen_ai.tool.call.id'],
      ...['gen_ai.tool.type', 'error.type', 'gen_ai.usage.input_tokens', 'gen_ai.usage.output_tokens'],
      ...['gen_ai.usage.reasoning.output_tokens', 'gen_ai.usage.cache_read.input_tokens'],
      'gen_ai.usage.cache_creation.input_tokens',
    ])
    for (const { state } of states)
      for (const { attributes, status } of spansIn(toSpans(state, { sessionId }))) {
        expect(attributes.filter(({ key }) => !allowed.has(key))).toEqual([])
        expect(status.message).toBeUndefined()
      }
  })

  it('come piece by piece as they come at once', async () => {
    for (const { events } of states.filter((_, at) => at % 8 === 0))
      await checkSink(spanSink({ sessionId }), [...events], {
        read: byId,
        expected: (state) => byId(spansIn(toSpans(state, { sessionId }))),
        // A tool keeps the spans of what the session has taken back.
        isSame: (read, expected) => Object.entries(expected).every(([id, span]) => isEqual(read[id], span)),
        places: 2,
      })
  })
})

describe('a span', () => {
  const events: readonly SessionEvent[] = [
    { type: 'session:updated', facts: { id: 's', program: 'made-up', version: '1', model: 'gpt-9' } },
    upsert({
      type: 'user_message',
      id: 'p',
      status: 'complete',
      content: [{ type: 'text', text: 'Hi.' }],
      timestamp: at(0),
    }),
    upsert(
      text('t', { messageId: 'm', model: 'claude-x', content: 'Yes.', status: 'complete', timestamp: at(2) }),
    ),
    upsert(
      toolUse('c', {
        messageId: 'm',
        toolName: 'Bash',
        input: { command: 'ls' },
        timestamp: at(3),
        status: 'complete',
      }),
    ),
    upsert({
      type: 'tool_result',
      id: 'c:result',
      toolUseId: 'c',
      output: 'no',
      isError: true,
      durationMs: 500,
      status: 'complete',
    }),
    usage('m', 3, { final: true }),
    {
      ...spawn('A', {
        subagentType: 'Explore',
        prompt: 'Look.',
        description: 'Look around',
        messageId: 'm2',
      }),
      timestamp: at(4),
    },
    upsert({ type: 'thinking', id: 'k', status: 'complete', content: 'Hm.', timestamp: at(5) }, 'A'),
    { type: 'subagent:completed', toolUseId: 'A', status: 'error', output: 'Nothing.', durationMs: 1500 },
    { type: 'session:idle', outcome: 'failed', error: 'Overloaded', timestamp: at(9) },
  ]
  const state = fold(...events)
  const spans = spansIn(toSpans(state, { content: true, agentTypeHash: (id) => `type of ${id}` }))
  const named = (name: string) => spans.find((span) => span.name === name)

  it('of main lasts as long as the session, and says how it ended', () => {
    const main = named('invoke_agent made-up')
    expect(main).toMatchObject({
      startTimeUnixNano: nanos(0),
      endTimeUnixNano: nanos(9),
      status: { code: 2, message: 'Overloaded' },
    })
    expect(main && attribute(main, 'gen_ai.agent.id')).toBe('type of main')
  })

  it('of main says neither success nor error if the person stopped the last turn', () => {
    const stopped = fold(
      { type: 'session:updated', facts: { id: 's' } },
      { type: 'session:running' },
      { type: 'session:idle', outcome: 'interrupted' },
    )
    expect(spansIn(toSpans(stopped)).map(({ status }) => status)).toEqual([{ code: 0 }])
  })

  it('of a response lasts from its prompt to its last block', () => {
    const chat = named('chat claude-x')
    expect(chat).toMatchObject({ kind: 3, startTimeUnixNano: nanos(0), endTimeUnixNano: nanos(3) })
    expect(chat && attribute(chat, 'gen_ai.provider.name')).toBe('anthropic')
    expect(JSON.parse((chat && attribute(chat, 'gen_ai.input.messages')) ?? '')).toEqual([
      { role: 'user', parts: [{ type: 'text', content: 'Hi.' }] },
    ])
    expect(JSON.parse((chat && attribute(chat, 'gen_ai.output.messages')) ?? '')).toEqual([
      { role: 'assistant', parts: [{ type: 'text', content: 'Yes.' }] },
      {
        role: 'assistant',
        parts: [{ type: 'tool_call', id: 'c', name: 'Bash', arguments: { command: 'ls' } }],
      },
    ])
  })

  it('of a call has its duration, and its error', () => {
    expect(named('execute_tool Bash')).toMatchObject({
      startTimeUnixNano: nanos(3),
      endTimeUnixNano: nanos(3.5),
      status: { code: 2 },
    })
  })

  it('of an agent begins with its call', () => {
    const agent = named('invoke_agent Explore') ?? named('invoke_agent')
    expect(agent).toMatchObject({
      startTimeUnixNano: nanos(4),
      endTimeUnixNano: nanos(5.5),
      status: { code: 2 },
    })
    expect(agent && attribute(agent, 'agentfold.output')).toBe('Nothing.')
  })

  it.each(['0001-01-01T00:00:00Z', '1969-12-31T23:59:59Z', '9999-12-31T23:59:59Z'])(
    'has no time that OTLP cannot hold: %s',
    (timestamp) => {
      const block = { type: 'assistant_text', status: 'complete', content: 'Hi.' } as const
      const odd = fold(
        { type: 'session:updated', facts: { id: sessionId } },
        { type: 'block:upsert', block: { ...block, id: 'a', timestamp } },
        { type: 'block:upsert', block: { ...block, id: 'b', timestamp: new Date(7).toISOString() } },
        { type: 'session:idle', timestamp },
      )
      const times = spansIn(toSpans(odd)).flatMap((span) => [span.startTimeUnixNano, span.endTimeUnixNano])
      expect(new Set(times)).toEqual(new Set(['0', '7000000']))
      expect(times.slice(0, 2)).toEqual(['7000000', '7000000'])
    },
  )

  it('has the ids of its session, and comes under a span of the host', () => {
    expect(spansIn(toSpans(state))).toEqual(spansIn(toSpans(fold(...events))))
    expect(toSpans(state, { sessionId: 'other' })).not.toEqual(toSpans(state))
    const parent = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) }
    const [root] = spansIn(toSpans(state, { parent }))
    expect(root).toMatchObject({ traceId: parent.traceId, parentSpanId: parent.spanId })
    expect(() => toSpans(state, { parent: { ...parent, spanId: 'B' } })).toThrow(TypeError)
  })

  it('needs a session that has a name', () => {
    const unnamed = fold(idle())
    expect(() => toSpans(unnamed)).toThrow(TypeError)
    const sink = spanSink()
    expect(sink.translate(sink.initial, unnamed).out).toEqual([])
    expect(sink.end(sink.initial, state).out).toHaveLength(spans.length)
  })
})

function at(second: number): string {
  return new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString()
}

function nanos(second: number): string {
  return `${Date.UTC(2026, 0, 1) + second * 1000}000000`
}

function ownUsages(state: SessionConversationState) {
  const all = new Map<string, ReturnType<typeof buildSessionTree>['usage']>()
  const visit = (node: ReturnType<typeof buildSessionTree>): void => {
    all.set(node.conversationId, node.usage)
    node.children.forEach(visit)
  }
  visit(buildSessionTree(state))
  return ['main', ...state.subagents.map(({ toolUseId }) => toolUseId)].flatMap((id) => all.get(id) ?? [])
}

/** A tool keeps the last span of an id. */
function byId(spans: readonly OtlpSpan[]): Readonly<Record<string, OtlpSpan>> {
  return Object.fromEntries(spans.map((span) => [span.spanId, span]))
}

/** Without the fields that OpenTelemetry adds with their defaults. It writes integers as numbers: a reader takes both. */
function withoutDefaults(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDefaults)
  if (typeof value !== 'object' || value === null) return value
  const dropped = new Set(['droppedAttributesCount', 'droppedEventsCount', 'droppedLinksCount', 'flags'])
  return Object.fromEntries(
    Object.entries(value)
      .filter(
        ([key, each]) => !dropped.has(key) && !((key === 'events' || key === 'links') && each.length === 0),
      )
      .map(([key, each]) => [key, key === 'intValue' ? String(each) : withoutDefaults(each)]),
  )
}
