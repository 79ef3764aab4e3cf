import { parsePartialJson } from '../core/json/partial.ts'
import {
  asArray,
  asFiniteNumber,
  asObject,
  asString,
  isBytes,
  isObject,
  isString,
  type JsonObject,
  parseJson,
} from '../core/json/values.ts'
import type { ModelMessage } from './request-agents.ts'

/** A model API: Messages of Anthropic, Chat Completions or Responses of OpenAI. */
export type ModelApi = 'messages' | 'chat-completions' | 'responses'

/** A streamed answer of a model. */
export interface StreamedAnswer {
  /** The message that the next request repeats, with the API's `usage`. For Responses, `content` has the items of the output. */
  readonly message: ModelMessage & { readonly usage?: unknown }
  /** False if the stream broke off or reported an error: the message has what came. */
  readonly isWhole: boolean
}

/** The body of a response, or the list of its chunks. */
export type AnswerChunks = string | Uint8Array | Iterable<unknown>

/**
 * Assembles a streamed answer. Pass the body of the response, as text or bytes, whole or in the pieces that arrived.
 * Or pass the data of its server-sent events in their order, as JSON texts or values; `[DONE]` may be among them. A
 * chunk that is no object of the API is ignored. Throws a `RangeError` for an unknown API, and a `TypeError` for a
 * stream that is not collected yet.
 */
export function readAnswer(api: ModelApi, chunks: AnswerChunks): StreamedAnswer {
  const values = valuesOf(chunks)
  switch (api) {
    case 'messages':
      return messagesAnswer(values)
    case 'chat-completions':
      return chatAnswer(values)
    case 'responses':
      return responsesAnswer(values)
    default:
      throw new RangeError('api: pass messages, chat-completions or responses')
  }
}

/** Returns the events of the chunks. */
function valuesOf(chunks: AnswerChunks): JsonObject[] {
  const list = typeof chunks === 'string' || isBytes(chunks) ? [chunks] : chunks
  if (typeof list?.[Symbol.iterator] !== 'function')
    throw new TypeError('chunks: collect the stream first, and pass the list of its chunks, or its text')
  const pieces: readonly unknown[] = [...list]
  const decoder = new TextDecoder()
  const texts = pieces.map((piece) => (isBytes(piece) ? decoder.decode(piece, { stream: true }) : piece))
  const body = texts.filter(isString).join('')
  // Within a body, a piece may be the half of a line. Without one, each text is an event.
  const values = /^data:/m.test(body)
    ? [...texts.filter(isObject), ...dataIn(body)]
    : texts.map((text) => (isString(text) ? parseJson(text) : text))
  return values.filter(isObject)
}

function dataIn(body: string): readonly unknown[] {
  const lines = body.split(/\r?\n/).filter((line) => line.startsWith('data:'))
  return lines.map((line) => parseJson(line.slice('data:'.length)))
}

/** A part of an answer that grows. */
type Growing = Record<string, unknown>

function messagesAnswer(events: readonly JsonObject[]): StreamedAnswer {
  const content: Growing[] = []
  const inputs = new Map<number, string>()
  let usage: JsonObject = {}
  let role = 'assistant'
  let isWhole = false
  for (const event of events) {
    const index = asFiniteNumber(event.index) ?? 0
    const delta = asObject(event.delta)
    if (event.type === 'message_start') {
      const message = asObject(event.message)
      role = asString(message.role) ?? role
      usage = asObject(message.usage)
    } else if (event.type === 'content_block_start') content[index] = { ...asObject(event.content_block) }
    else if (event.type === 'content_block_delta') addDelta(content[index], delta, index, inputs)
    else if (event.type === 'content_block_stop') endInput(content[index], inputs.get(index))
    else if (event.type === 'message_delta') usage = { ...usage, ...asObject(event.usage) }
    else if (event.type === 'message_stop') isWhole = true
    else if (event.type === 'error') isWhole = false
  }
  for (const [index, text] of inputs) endInput(content[index], text)
  return answerOf(role, content.filter(Boolean), usage, isWhole)
}

/** The names of the fields that the deltas of a Messages stream grow. */
const GROWING: Readonly<Record<string, string>> = {
  text_delta: 'text',
  thinking_delta: 'thinking',
  signature_delta: 'signature',
}

function addDelta(
  part: Growing | undefined,
  delta: JsonObject,
  index: number,
  inputs: Map<number, string>,
): void {
  if (!part) return
  const field = GROWING[asString(delta.type) ?? '']
  if (field !== undefined) part[field] = (asString(part[field]) ?? '') + (asString(delta[field]) ?? '')
  else if (delta.type === 'input_json_delta')
    inputs.set(index, (inputs.get(index) ?? '') + (asString(delta.partial_json) ?? ''))
  else if (delta.type === 'citations_delta') part.citations = [...asArray(part.citations), delta.citation]
}

/** A call whose input broke off has the part that came. */
function endInput(part: Growing | undefined, text: string | undefined): void {
  const input = text === undefined ? undefined : (parseJson(text) ?? parsePartialJson(text))
  if (part && input !== undefined) part.input = input
}

function chatAnswer(chunks: readonly JsonObject[]): StreamedAnswer {
  const message: Growing = { role: 'assistant', content: null }
  const calls: { [field: string]: unknown; function: { name: string; arguments: string } }[] = []
  let usage: unknown
  let isWhole = false
  for (const chunk of chunks) {
    if (isObject(chunk.usage)) usage = chunk.usage
    const choice = asObject(
      asArray(chunk.choices).find((each) => (asFiniteNumber(asObject(each).index) ?? 0) === 0),
    )
    const delta = asObject(choice.delta)
    for (const field of ['content', 'refusal'] as const) {
      const text = asString(delta[field])
      if (text !== undefined) message[field] = (asString(message[field]) ?? '') + text
    }
    for (const each of asArray(delta.tool_calls).map(asObject)) {
      const index = asFiniteNumber(each.index) ?? calls.length
      const called = asObject(each.function)
      const call = calls[index] ?? { id: '', type: 'function', function: { name: '', arguments: '' } }
      calls[index] = call
      if (asString(each.id)) call.id = each.id
      call.function.name += asString(called.name) ?? ''
      call.function.arguments += asString(called.arguments) ?? ''
    }
    if (asString(choice.finish_reason)) isWhole = true
    if (chunk.error !== undefined) isWhole = false
  }
  const toolCalls = calls.filter(Boolean)
  const whole = toolCalls.length > 0 ? { ...message, tool_calls: toolCalls } : message
  return { message: { role: 'assistant', ...whole, ...(usage === undefined ? {} : { usage }) }, isWhole }
}

/** An incomplete response has reached its most tokens: the stream is whole. */
const ENDS: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete', 'response.failed'])

function responsesAnswer(events: readonly JsonObject[]): StreamedAnswer {
  const items: Growing[] = []
  let usage: unknown
  let isWhole = false
  for (const event of events) {
    const index = asFiniteNumber(event.output_index) ?? 0
    if (event.type === 'response.output_item.added') items[index] = { ...asObject(event.item) }
    else if (event.type === 'response.output_item.done') items[index] = { ...asObject(event.item) }
    else if (event.type === 'response.output_text.delta') addText(items[index], event)
    else if (event.type === 'response.function_call_arguments.delta') addArguments(items[index], event)
    else if (event.type === 'error') isWhole = false
    else if (ENDS.has(asString(event.type) ?? '')) {
      const response = asObject(event.response)
      usage = response.usage
      isWhole = event.type !== 'response.failed'
      const output = asArray(response.output)
      if (output.length > 0) items.splice(0, items.length, ...output.map((item) => ({ ...asObject(item) })))
    }
  }
  return answerOf('assistant', items.filter(Boolean), usage, isWhole)
}

function addText(item: Growing | undefined, event: JsonObject): void {
  if (!item) return
  const content = asArray(item.content).map((part) => ({ ...asObject(part) }))
  const at = asFiniteNumber(event.content_index) ?? 0
  const part: Growing = content[at] ?? { type: 'output_text', text: '', annotations: [] }
  part.text = (asString(part.text) ?? '') + (asString(event.delta) ?? '')
  content[at] = part
  item.content = content
}

function addArguments(item: Growing | undefined, event: JsonObject): void {
  if (item) item.arguments = (asString(item.arguments) ?? '') + (asString(event.delta) ?? '')
}

function answerOf(
  role: string,
  content: readonly unknown[],
  usage: unknown,
  isWhole: boolean,
): StreamedAnswer {
  const hasUsage = isObject(usage) && Object.keys(usage).length > 0
  return { message: { role, content, ...(hasUsage ? { usage } : {}) }, isWhole }
}
