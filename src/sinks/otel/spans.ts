import { omitUndefined } from '../../core/json/fields.ts'
import { assertNever } from '../../core/json/values.ts'
import {
  type BlockOf,
  type ConversationBlock,
  messageIdOf,
  modelOf,
  type UserMessageBlock,
} from '../../core/state/block.ts'
import type { ConversationThread, MessageUsage } from '../../core/state/session.ts'
import type { TraceContext } from './options.ts'
import { attributesOf, complete, msOf, nanosOf, type OtlpSpan, spanOf, type TimeSpan } from './otlp.ts'

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

/** Returns the messages of blocks in the JSON of the semantic conventions for generative AI; undefined if there are none. */
function messagesJson(blocks: readonly ConversationBlock[]): string | undefined {
  const messages = blocks.flatMap((block) => messageOf(block) ?? [])
  return messages.length === 0 ? undefined : JSON.stringify(messages)
}

interface Message {
  readonly role: 'user' | 'assistant' | 'tool'
  readonly parts: readonly object[]
}

function messageOf(block: ConversationBlock): Message | undefined {
  switch (block.type) {
    case 'user_message':
      return { role: 'user', parts: userParts(block) }
    case 'assistant_text':
      return { role: 'assistant', parts: [{ type: 'text', content: block.content }] }
    case 'thinking':
      return { role: 'assistant', parts: [{ type: 'reasoning', content: block.content }] }
    case 'tool_use':
      return {
        role: 'assistant',
        parts: [{ type: 'tool_call', id: block.toolUseId, name: block.toolName, arguments: block.input }],
      }
    case 'subagent':
      return {
        role: 'assistant',
        parts: [
          { type: 'tool_call', id: block.toolUseId, name: block.name ?? 'agent', arguments: block.input },
        ],
      }
    case 'tool_result':
      return {
        role: 'tool',
        parts: [{ type: 'tool_call_response', id: block.toolUseId, response: block.output }],
      }
    case 'request':
    case 'system':
    case 'error':
    case 'skill_load':
      return undefined
    default:
      return assertNever(block)
  }
}

function userParts({ content }: UserMessageBlock): readonly object[] {
  if (typeof content === 'string') return [{ type: 'text', content }]
  return content.map((part) => (part.type === 'text' ? { type: 'text', content: part.text } : part))
}

/** One response of the model, and the blocks between it and the response before. */
interface ModelResponse {
  /** The id of the message; a text without one has an id of its own. */
  readonly id: string
  readonly messageId: string | undefined
  /** The texts, thinking and calls of the model. */
  readonly blocks: readonly ConversationBlock[]
  /** Prompts, results and notes. */
  readonly inputs: readonly ConversationBlock[]
  readonly usage: MessageUsage | undefined
}

/**
 * Returns the responses of a conversation, in the order of their first block. Those without a block come last. It
 * leaves out the messages of the parent, which a forked agent repeats.
 */
export function responsesOf(
  { blocks, usage }: ConversationThread,
  parent: ConversationThread | undefined,
): readonly ModelResponse[] {
  const ofParent = new Set(parent?.usage.map(({ messageId }) => messageId))
  const usageById = new Map(usage.map((entry) => [entry.messageId, entry]))
  const responses = new Map<string, ModelResponse & { readonly blocks: ConversationBlock[] }>()
  let inputs: ConversationBlock[] = []
  for (const block of blocks) {
    if (!isOutput(block)) {
      inputs.push(block)
      continue
    }
    const messageId = messageIdOf(block)
    const id = messageId ?? `block:${block.id}`
    const response = responses.get(id)
    if (response) response.blocks.push(block)
    else {
      responses.set(id, { id, messageId, inputs, blocks: [block], usage: usageById.get(id) })
      inputs = []
    }
  }
  const unseen = usage.flatMap((entry) => {
    const { messageId } = entry
    return responses.has(messageId)
      ? []
      : [{ id: messageId, messageId, blocks: [], inputs: [], usage: entry }]
  })
  return [...responses.values(), ...unseen].filter(({ id }) => !ofParent.has(id))
}

function isOutput({ type }: ConversationBlock): boolean {
  return type === 'assistant_text' || type === 'thinking' || type === 'tool_use' || type === 'subagent'
}
