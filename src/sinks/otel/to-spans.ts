import { type ConversationThread, MAIN, type SessionConversationState } from '../../core/state/session.ts'
import type { Sink } from '../sink.ts'
import { type ExportedSpan, mainSpans, subagentSpans } from './agent-spans.ts'
import { hashOf, type SpanOptions, type TraceContext, traceContext } from './options.ts'
import { attributesOf, type OtlpSpan, type OtlpTraces } from './otlp.ts'
import { msOf } from './times.ts'

/**
 * Returns a session as a trace in OTLP's JSON: a span for each agent, response of the model and call of a tool, nested as they ran. The ids come
 * from the session, so the same session gives the same ids. Prompts, answers, inputs and outputs are left out unless `content` is true.
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
 * Returns a sink that exports a live session piece by piece: each span when it is over, and at the end those that still run. A span that changes
 * after its end comes again with the same id. A tool keeps the spans that it has, so a part that the session takes back stays in the trace. Until the
 * session has named itself, nothing is exported.
 *
 * Each state takes time that grows with the session, so pass one every few seconds. `translate` and `end` throw a `TypeError` if `parent` has wrong ids.
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
