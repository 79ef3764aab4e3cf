import { omitUndefined } from '../../core/json/fields.ts'
import { type BlockOf, modelOf } from '../../core/state/block.ts'
import type { MessageUsage } from '../../core/state/session.ts'
import { messagesJson } from './content.ts'
import type { TraceContext } from './options.ts'
import { attributesOf, nanosOf, type OtlpSpan } from './otlp.ts'
import type { ModelResponse } from './responses.ts'
import { complete, msOf, spanOf, type TimeSpan } from './times.ts'

type Fields = Parameters<typeof attributesOf>[0]

/** The facts of one span. */
interface SpanFacts {
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly name: string
  readonly kind: OtlpSpan['kind']
  readonly times: TimeSpan
  readonly fields: Fields
  readonly status: OtlpSpan['status']
}

/** Returns the span of the facts. */
export function spanFrom({ traceId }: TraceContext, facts: SpanFacts): OtlpSpan {
  const { spanId, parentSpanId, name, kind, status, fields } = facts
  const { start, end } = complete(facts.times)
  return omitUndefined({
    traceId,
    spanId,
    parentSpanId,
    name,
    kind,
    startTimeUnixNano: nanosOf(start),
    endTimeUnixNano: nanosOf(end),
    attributes: attributesOf(fields),
    status,
  })
}

/** The agent whose conversation a span belongs to. */
export interface SpanParent {
  readonly conversationId: string
  readonly spanId: string
}

/** Returns the span of a response. It starts when the last of its inputs was there, because no program says when a request began. */
export function chatSpan(context: TraceContext, parent: SpanParent, response: ModelResponse): OtlpSpan {
  const { blocks, inputs, usage } = response
  const own = spanOf(blocks)
  const model = usage?.model ?? blocks.map(modelOf).find((each) => each !== undefined)
  return spanFrom(context, {
    spanId: context.spanId('chat', parent.conversationId, response.id),
    parentSpanId: parent.spanId,
    name: model === undefined ? 'chat' : `chat ${model}`,
    kind: 3,
    times: { start: spanOf(inputs).end ?? own.start, end: own.end },
    fields: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': providerOf(model),
      'gen_ai.request.model': model,
      'gen_ai.response.id': response.messageId,
      'gen_ai.conversation.id': context.sessionId,
      ...usageFields(usage),
      ...(context.hasContent && {
        'gen_ai.input.messages': messagesJson(inputs),
        'gen_ai.output.messages': messagesJson(blocks),
      }),
    },
    status: { code: 0 },
  })
}

function usageFields(usage: MessageUsage | undefined): Fields {
  return {
    'gen_ai.usage.input_tokens': usage?.inputTokens,
    'gen_ai.usage.output_tokens': usage?.outputTokens,
    'gen_ai.usage.reasoning.output_tokens': usage?.reasoningTokens,
    'gen_ai.usage.cache_read.input_tokens': usage?.cacheReadTokens,
    'gen_ai.usage.cache_creation.input_tokens': usage?.cacheWriteTokens,
  }
}

/** Returns the span of a call, with its result if there is one. */
export function toolSpan(
  context: TraceContext,
  parent: SpanParent,
  {
    call,
    result,
  }: { readonly call: BlockOf<'tool_use'>; readonly result: BlockOf<'tool_result'> | undefined },
): OtlpSpan {
  const { toolName, toolUseId, input } = call
  const start = msOf(call.timestamp)
  const hasFailed = result?.isError === true || call.status === 'error'
  const end = result?.durationMs === undefined || start === undefined ? undefined : start + result.durationMs
  return spanFrom(context, {
    spanId: context.spanId('tool', parent.conversationId, toolUseId),
    parentSpanId: parent.spanId,
    name: `execute_tool ${toolName}`,
    kind: 1,
    times: { start, end: end ?? msOf(result?.timestamp) },
    fields: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': toolName,
      'gen_ai.tool.call.id': toolUseId,
      'gen_ai.tool.type': 'function',
      'error.type': hasFailed ? 'tool_error' : undefined,
      ...(context.hasContent && {
        'gen_ai.tool.call.arguments': textOf(input),
        'gen_ai.tool.call.result': result && textOf(result.output),
      }),
    },
    status: statusOf(hasFailed, result !== undefined),
  })
}

/** Returns the status of a span: an error, a success, or nothing while it is not over. */
export function statusOf(hasFailed: boolean, isOver: boolean, message?: string): OtlpSpan['status'] {
  if (hasFailed) return message === undefined ? { code: 2 } : { code: 2, message }
  return { code: isOver ? 1 : 0 }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The providers of the semantic conventions, by the beginning of a model's name. */
const PROVIDERS: readonly (readonly [RegExp, string])[] = [
  [/(^|[/.])claude/, 'anthropic'],
  [/(^|\/)(gpt|chatgpt|codex|o\d)/, 'openai'],
  [/(^|\/)gemini/, 'gcp.gemini'],
  [/(^|\/)mistral/, 'mistral_ai'],
  [/(^|\/)deepseek/, 'deepseek'],
  [/(^|\/)grok/, 'x_ai'],
]

/** Returns the provider of a model, if its name shows that. */
function providerOf(model: string | undefined): string | undefined {
  return PROVIDERS.find(([pattern]) => model !== undefined && pattern.test(model))?.[1]
}
