import type { BlockOf } from '../../core/state/block.ts'
import {
  type ConversationThread,
  MAIN,
  type SessionConversationState,
  type SubagentState,
} from '../../core/state/session.ts'
import type { Sink } from '../../core/state/sink.ts'
import { isFinal } from '../../core/state/subagent.ts'
import { hashOf, type SpanOptions, type TraceContext, traceContext } from './options.ts'
import { attributesOf, msOf, type OtlpSpan, type OtlpTraces, spanOf, type TimeSpan } from './otlp.ts'
import { chatSpan, responsesOf, type SpanParent, spanFrom, statusOf, toolSpan } from './spans.ts'

/**
 * Returns a session as a trace in OTLP's JSON: a span for each agent, response of the model and call of a tool,
 * nested as they ran. The ids come from the session, so the same session gives the same ids. Prompts, answers, inputs
 * and outputs are left out unless `content` is true.
 *
 * Throws a `TypeError` if nothing names the session, or if `parent` has wrong ids.
 */
export function toSpans(state: SessionConversationState, options: SpanOptions = {}): OtlpTraces {
  const context = traceContext(state, options)
  if (!context) throw new TypeError('sessionId: pass one, because the session has not named itself')
  return tracesOf(
    state,
    spansOf(context, state).map(({ span }) => span),
  )
}

/** Returns spans as the body of a request to an OTLP endpoint. */
export function tracesOf({ session }: SessionConversationState, spans: readonly OtlpSpan[]): OtlpTraces {
  const fields = { 'service.name': session.program ?? 'agentfold', 'service.version': session.version }
  return {
    resourceSpans: [
      {
        resource: { attributes: attributesOf(fields) },
        scopeSpans: [{ scope: { name: 'agentfold' }, spans }],
      },
    ],
  }
}

/** Returns the spans of all conversations, main's first. */
function spansOf(context: TraceContext, state: SessionConversationState): readonly ExportedSpan[] {
  const threads = new Map<string, ConversationThread>(
    state.subagents.map((agent) => [agent.toolUseId, agent]),
  )
  const calls = new Map(
    [state, ...state.subagents].flatMap(({ blocks }) =>
      blocks.flatMap((block): [string, number | undefined][] =>
        block.type === 'subagent' ? [[block.toolUseId, msOf(block.timestamp)]] : [],
      ),
    ),
  )
  const ofSubagents = state.subagents.flatMap((agent) => {
    const { toolUseId, parentConversationId = MAIN } = agent
    const known = threads.get(parentConversationId)
    const parent = { parent: known ?? state, parentId: known ? parentConversationId : MAIN }
    return subagentSpans(context, agent, { ...parent, calledAt: calls.get(toolUseId) })
  })
  return [...mainSpans(context, state), ...ofSubagents]
}

/** The hashes of the spans that a tool has, by their ids. */
export type SpanMemory = ReadonlyMap<string, string>

/**
 * Returns a sink that exports a live session piece by piece: each span when it is over, and at the end those that
 * still run. A span that changes after its end comes again with the same id. A tool keeps the spans that it has, so a
 * part that the session takes back stays in the trace. Until the session has named itself, nothing is exported.
 *
 * Each state takes time that grows with the session, so pass one every few seconds. `translate` and `end` throw a
 * `TypeError` if `parent` has wrong ids.
 */
export function spanSink(options: SpanOptions = {}): Sink<SpanMemory, OtlpSpan> {
  return {
    initial: new Map(),
    translate: (memory, state) => exported(memory, state, { options, isEnd: false }),
    end: (memory, state) => ({ out: exported(memory, state, { options, isEnd: true }).out }),
  }
}

function exported(
  memory: SpanMemory,
  state: SessionConversationState,
  { options, isEnd }: { readonly options: SpanOptions; readonly isEnd: boolean },
): { readonly memory: SpanMemory; readonly out: readonly OtlpSpan[] } {
  const context = traceContext(state, options)
  if (!context) return { memory, out: [] }
  const spans = spansOf(context, state)
  const changed = spans
    .filter(({ isOver }) => isOver || isEnd)
    .map(({ span }) => ({ span, hash: hashOf([JSON.stringify(span)]) }))
    .filter(({ span, hash }) => memory.get(span.spanId) !== hash)
  if (changed.length === 0) return { memory, out: [] }
  return {
    memory: new Map([...memory, ...changed.map(({ span, hash }): [string, string] => [span.spanId, hash])]),
    out: changed.map(({ span }) => span),
  }
}

/** A span, and whether it is over: a span that is not may still change. */
interface ExportedSpan {
  readonly span: OtlpSpan
  readonly isOver: boolean
}

/** Returns the spans of main: its own, those of its responses and those of its calls. */
function mainSpans(context: TraceContext, state: SessionConversationState): readonly ExportedSpan[] {
  const { session, turn } = state
  const hasFailed = turn.status === 'failed'
  const isOver = turn.status !== 'running' && turn.status !== 'idle'
  const self: SpanParent = { conversationId: MAIN, spanId: context.spanId('agent', MAIN) }
  const { start, end } = spanOf(state.blocks)
  const span = spanFrom(context, {
    spanId: self.spanId,
    parentSpanId: context.parentSpanId,
    name: session.program === undefined ? 'invoke_agent' : `invoke_agent ${session.program}`,
    kind: 1,
    times: { start: least(start, msOf(turn.startedAt)), end: greatest(end, msOf(turn.endedAt)) },
    fields: {
      ...agentFields(context, MAIN, session.program),
      'gen_ai.request.model': session.model,
      'error.type': hasFailed ? 'turn_failed' : undefined,
    },
    // A stopped turn is neither a success nor an error.
    status: statusOf(
      hasFailed,
      isOver && turn.status !== 'interrupted',
      context.hasContent ? turn.error : undefined,
    ),
  })
  // A later turn changes the span, so it is not over before the session is.
  return [{ span, isOver: false }, ...threadSpans(context, self, { thread: state, isOver })]
}

/** Returns the spans of a subagent. */
function subagentSpans(
  context: TraceContext,
  agent: SubagentState,
  {
    parent,
    parentId,
    calledAt,
  }: {
    readonly parent: ConversationThread | undefined
    readonly parentId: string
    /** Ms since the epoch. */
    readonly calledAt: number | undefined
  },
): readonly ExportedSpan[] {
  const { toolUseId, name, status, parentConversationId } = agent
  const isOver = isFinal(status)
  const self: SpanParent = { conversationId: toolUseId, spanId: context.spanId('agent', toolUseId) }
  const span = spanFrom(context, {
    spanId: self.spanId,
    parentSpanId: context.spanId('agent', parentId),
    name: name === undefined ? 'invoke_agent' : `invoke_agent ${name}`,
    kind: 1,
    times: agentTimes(agent, calledAt),
    fields: {
      ...agentFields(context, toolUseId, name),
      'gen_ai.tool.call.id': toolUseId,
      'error.type': status === 'error' ? 'agent_error' : undefined,
      ...(context.hasContent && {
        'gen_ai.agent.description': agent.description,
        'agentfold.prompt': agent.prompt,
        'agentfold.output': agent.output,
      }),
    },
    status: statusOf(status === 'error', isFinal(status)),
  })
  const spans = [{ span, isOver }, ...threadSpans(context, self, { thread: agent, parent, isOver })]
  // Without a known call, the agent may still get another id.
  return parentConversationId === undefined ? spans.map((each) => ({ ...each, isOver: false })) : spans
}

function agentFields(
  context: TraceContext,
  conversationId: string,
  name: string | undefined,
): { readonly [key: string]: string | undefined } {
  return {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': name,
    'gen_ai.agent.id': context.agentTypeHash(conversationId),
    'gen_ai.conversation.id': context.sessionId,
  }
}

/** An agent runs from its call on. Its own duration is surer than its last block, which the parent may have written later. */
function agentTimes({ blocks, durationMs }: SubagentState, calledAt: number | undefined): TimeSpan {
  const { start, end } = spanOf(blocks)
  const from = calledAt ?? start
  return { start: from, end: durationMs === undefined || from === undefined ? end : from + durationMs }
}

/** Returns the spans of a conversation's responses and calls. */
function threadSpans(
  context: TraceContext,
  self: SpanParent,
  {
    thread,
    parent,
    isOver,
  }: {
    readonly thread: ConversationThread
    readonly parent?: ConversationThread | undefined
    readonly isOver: boolean
  },
): readonly ExportedSpan[] {
  const responses = responsesOf(thread, parent)
  const results = new Map(
    thread.blocks.flatMap((block): [string, BlockOf<'tool_result'>][] =>
      block.type === 'tool_result' ? [[block.toolUseId, block]] : [],
    ),
  )
  return responses.flatMap((response, at) => [
    {
      span: chatSpan(context, self, response),
      // The next response proves the end of this one.
      isOver: isOver || at < responses.length - 1,
    },
    ...response.blocks.flatMap((block) => {
      if (block.type !== 'tool_use') return []
      const result = results.get(block.toolUseId)
      const span = toolSpan(context, self, { call: block, result })
      return [{ span, isOver: isOver || result !== undefined }]
    }),
  ])
}

function least(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other)
}

function greatest(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.max(one, other)
}
