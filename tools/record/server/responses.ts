import { asArray, asObject, asString, type JsonObject } from '../../../src/core/json/values.ts'
import {
  type Dialect,
  namedFrame,
  type Piece,
  type Tokens,
  textIn,
  type WireReply,
  wordsOf,
} from './dialect.ts'

/** OpenAI's Responses API. */
export const responses: Dialect = {
  asks: (path) => /\/responses$/.test(path),
  read: (body) => {
    const items =
      typeof body.input === 'string'
        ? [{ role: 'user', content: body.input }]
        : asArray(body.input).map(asObject)
    const typed = (pattern: RegExp) => items.filter(({ type }) => pattern.test(asString(type) ?? ''))
    return {
      model: asString(body.model) ?? '',
      streams: body.stream === true,
      users: items.filter(isFromUser).map(({ content }) => textIn(content)),
      marks: [
        ...items.filter(({ role }) => role === 'assistant').map(({ content }) => textIn(content)),
        ...typed(/_call$/).flatMap(({ call_id }) => asString(call_id) ?? []),
      ],
      results: typed(/_output$/).map(({ call_id, output }) => ({
        id: asString(call_id) ?? '',
        text: textIn(output),
      })),
      tools: asArray(body.tools).map((tool) => asString(asObject(tool).name) ?? ''),
    }
  },
  stream: function* (reply) {
    let number = 0
    const event = (
      data: { readonly type: string; readonly [field: string]: unknown },
      word?: string,
    ): Piece => ({
      frame: namedFrame({ ...data, sequence_number: number++ }),
      ...(word !== undefined && { word }),
    })
    yield event({ type: 'response.created', response: response(reply, 'in_progress') })
    for (const [index, item] of itemsOf(reply).entries()) {
      yield event({ type: 'response.output_item.added', output_index: index, item: emptied(item) })
      for (const { word, ...data } of deltasOf(item)) yield event({ ...data, output_index: index }, word)
      yield event({ type: 'response.output_item.done', output_index: index, item })
    }
    yield event({ type: 'response.completed', response: response(reply, 'completed') })
  },
  whole: (reply) => response(reply, 'completed'),
  error: (status, message) => ({
    error: { message, type: status < 500 ? 'invalid_request_error' : 'server_error', code: null },
  }),
}

/** A program may bring an agent's task as a message of another agent. */
function isFromUser({ role, type }: JsonObject): boolean {
  return role === 'user' || type === 'agent_message'
}

function response(reply: WireReply, status: string) {
  const isDone = status === 'completed'
  return {
    id: `resp_${reply.id}`,
    object: 'response',
    created_at: 1_760_000_000,
    model: reply.model,
    status,
    output: isDone ? itemsOf(reply) : [],
    usage: isDone ? usageOf(reply.tokens) : null,
  }
}

type Item = { readonly type: string; readonly id: string; readonly [field: string]: unknown }

function itemsOf({ id, think, say, calls }: WireReply): readonly Item[] {
  return [
    ...(think === undefined
      ? []
      : [{ type: 'reasoning', id: `rs_${id}`, summary: [{ type: 'summary_text', text: think }] }]),
    ...(say === undefined ? [] : [messageItem(id, say)]),
    ...calls.map(({ id: callId, name, input, isText, namespace }) => ({
      type: isText ? 'custom_tool_call' : 'function_call',
      id: `fc_${callId}`,
      call_id: callId,
      name,
      ...(isText ? { input } : { arguments: JSON.stringify(input) }),
      ...(namespace !== undefined && { namespace }),
      status: 'completed',
    })),
  ]
}

function messageItem(id: string, text: string): Item {
  const content = [{ type: 'output_text', text, annotations: [] }]
  return { type: 'message', id: `msg_${id}`, role: 'assistant', status: 'completed', content }
}

function emptied(item: Item): Item {
  switch (item.type) {
    case 'reasoning':
      return { ...item, summary: [] }
    case 'message':
      return { ...item, status: 'in_progress', content: [] }
    case 'custom_tool_call':
      return { ...item, status: 'in_progress', input: '' }
    default:
      return { ...item, status: 'in_progress', arguments: '' }
  }
}

type Delta = { readonly type: string; readonly word?: string; readonly [field: string]: unknown }

function* deltasOf(item: Item): Iterable<Delta> {
  const of = { item_id: item.id }
  switch (item.type) {
    case 'reasoning': {
      const [part] = asArray(item.summary).map(asObject)
      const at = { ...of, summary_index: 0 }
      yield { type: 'response.reasoning_summary_part.added', ...at, part: { ...part, text: '' } }
      for (const delta of wordsOf(asString(part?.text)))
        yield { type: 'response.reasoning_summary_text.delta', ...at, delta }
      yield { type: 'response.reasoning_summary_text.done', ...at, text: part?.text }
      yield { type: 'response.reasoning_summary_part.done', ...at, part }
      break
    }
    case 'message': {
      const [part] = asArray(item.content).map(asObject)
      const at = { ...of, content_index: 0 }
      yield { type: 'response.content_part.added', ...at, part: { ...part, text: '' } }
      for (const word of wordsOf(asString(part?.text)))
        yield { type: 'response.output_text.delta', ...at, delta: word, word }
      yield { type: 'response.output_text.done', ...at, text: part?.text }
      yield { type: 'response.content_part.done', ...at, part }
      break
    }
    case 'custom_tool_call':
      yield { type: 'response.custom_tool_call_input.delta', ...of, delta: item.input }
      yield { type: 'response.custom_tool_call_input.done', ...of, input: item.input }
      break
    default:
      yield { type: 'response.function_call_arguments.delta', ...of, delta: item.arguments }
      yield { type: 'response.function_call_arguments.done', ...of, arguments: item.arguments }
  }
}

function usageOf({ input, output, cacheRead, cacheWrite, reasoning }: Tokens) {
  const all = input + cacheRead + cacheWrite
  return {
    input_tokens: all,
    output_tokens: output,
    total_tokens: all + output,
    input_tokens_details: { cached_tokens: cacheRead },
    output_tokens_details: { reasoning_tokens: reasoning },
  }
}
