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

/** An answer of a model. */
export interface StreamedAnswer {
  /** The message that the next request repeats, with the API's `usage`. For Responses, `content` has the items of the output. */
  readonly message: ModelMessage & { readonly usage?: unknown }
  /** False if the stream broke off or reported an error: the message has what came. */
  readonly isWhole: boolean
}

/** The body of a response, or the list of its chunks. */
export type AnswerChunks = string | Uint8Array | Iterable<unknown>

/**
 * Assembles a streamed answer, and reads one that is not streamed. Pass the body of the response,
 * as text or bytes, whole or in the pieces that arrived.
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
  // Within a body, a piece may be the half of a line. Without one, each text is an event.
  const body = texts.filter(isString).join('').replace(BYTE_ORDER_MARK, '')
  const lines = body.split(/\r\n|\r|\n/)
  if (lines.some(isData)) return [...texts.filter(isObject), ...dataIn(lines)].filter(isObject)
  const whole = parseJson(body)
  const values = isObject(whole) ? [whole] : texts.map((text) => (isString(text) ? parseJson(text) : text))
  return values.filter(isObject)
}

const BYTE_ORDER_MARK = /^\uFEFF/
const DATA = 'data:'

function isData(line: string): boolean {
  return line.startsWith(DATA)
}

/** An empty line ends an event, and its data may have several lines. Some servers leave the empty lines out. */
function dataIn(lines: readonly string[]): readonly unknown[] {
  const events: string[][] = [[]]
  for (const line of lines)
    if (line === '') events.push([])
    else if (isData(line)) events.at(-1)?.push(line.slice(DATA.length))
  return events.flatMap((data) => parseJson(data.join('\n')) ?? data.map(parseJson))
}

/** A part of an answer that grows. */
type Growing = Record<string, unknown>

/** Parts by the indexes that the stream states. A list would be as long as the greatest one. */
class Parts {
  readonly #parts = new Map<number, Growing>()
  /** The index of the part that began last. */
  last = -1
  #next = 0

  constructor(parts: readonly unknown[] = []) {
    for (const part of parts) this.set(undefined, part)
  }

  get list(): readonly Growing[] {
    return [...this.#parts].sort(([left], [right]) => left - right).map(([, part]) => part)
  }

  /** A part without an index comes after all others. */
  set(index: unknown, part: unknown): Growing {
    const copy = { ...asObject(part) }
    this.last = asFiniteNumber(index) ?? this.#next
    this.#next = Math.max(this.#next, this.last + 1)
    this.#parts.set(this.last, copy)
    return copy
  }

  /** A piece without an index grows the part that began last. */
  at(index: unknown): Growing | undefined {
    return this.#parts.get(asFiniteNumber(index) ?? this.last)
  }

  indexOf(isWanted: (part: Growing) => boolean): number | undefined {
    for (const [index, part] of this.#parts) if (isWanted(part)) return index
    return undefined
  }
}

function grow(part: Growing | undefined, field: string, text: unknown): void {
  if (part) part[field] = (asString(part[field]) ?? '') + (asString(text) ?? '')
}

function messagesAnswer(events: readonly JsonObject[]): StreamedAnswer {
  const content = new Parts()
  const inputs = new Map<Growing, string>()
  let usage: JsonObject = {}
  let role = 'assistant'
  let isWhole = false
  for (const event of events) {
    const part = content.at(event.index)
    if (isString(event.role) && Array.isArray(event.content))
      return answerOf(event.role, event.content, event.usage, true)
    if (event.type === 'message_start') {
      const message = asObject(event.message)
      role = asString(message.role) ?? role
      usage = asObject(message.usage)
    } else if (event.type === 'content_block_start') content.set(event.index, event.content_block)
    else if (event.type === 'content_block_delta' && part) addDelta(part, asObject(event.delta), inputs)
    else if (event.type === 'message_delta') usage = { ...usage, ...withoutNull(asObject(event.usage)) }
    else if (event.type === 'message_stop') isWhole = true
    else if (event.type === 'error') isWhole = false
  }
  // A call whose input broke off has the part that came.
  for (const [part, text] of inputs) part.input = parseJson(text) ?? parsePartialJson(text) ?? part.input
  return answerOf(role, content.list, usage, isWhole)
}

/** A later count that is null says nothing. */
function withoutNull(usage: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(usage).filter(([, count]) => count !== null))
}

function addDelta(part: Growing, delta: JsonObject, inputs: Map<Growing, string>): void {
  if (delta.type === 'text_delta') grow(part, 'text', delta.text)
  else if (delta.type === 'thinking_delta') grow(part, 'thinking', delta.thinking)
  else if (delta.type === 'signature_delta') part.signature = delta.signature
  else if (delta.type === 'citations_delta') part.citations = [...asArray(part.citations), delta.citation]
  else if (delta.type === 'input_json_delta')
    inputs.set(part, (inputs.get(part) ?? '') + (asString(delta.partial_json) ?? ''))
}

function chatAnswer(chunks: readonly JsonObject[]): StreamedAnswer {
  const message: Growing = { role: 'assistant', content: null }
  const calls = new Parts()
  let usage: unknown
  let isWhole = false
  for (const chunk of chunks) {
    if (isObject(chunk.usage)) usage = chunk.usage
    const choice = asObject(
      asArray(chunk.choices).find((each) => (asFiniteNumber(asObject(each).index) ?? 0) === 0),
    )
    if (isObject(choice.message)) Object.assign(message, choice.message)
    const delta = asObject(choice.delta)
    for (const field of ['content', 'refusal'] as const)
      if (isString(delta[field])) grow(message, field, delta[field])
    for (const piece of asArray(delta.tool_calls).map(asObject)) addToCall(calls, piece)
    if (asString(choice.finish_reason) || isObject(choice.message)) isWhole = true
    if (chunk.error !== undefined && chunk.error !== null) isWhole = false
  }
  const toolCalls = calls.list
  const whole = toolCalls.length > 0 ? { ...message, tool_calls: toolCalls } : message
  return { message: { role: 'assistant', ...whole, ...(usage === undefined ? {} : { usage }) }, isWhole }
}

/** Some servers state no index: another id, or a name, begins the next call. */
function addToCall(calls: Parts, { index: stated, id: idOfPiece, function: piece }: JsonObject): void {
  const { name: nameOfPiece, arguments: text } = asObject(piece)
  const [id, name] = [asString(idOfPiece), asString(nameOfPiece)]
  const known = id ? calls.indexOf((call) => call.id === id) : undefined
  const index = stated ?? known
  const isNext = asFiniteNumber(index) === undefined && Boolean(id || name)
  const call =
    (isNext ? undefined : calls.at(index)) ??
    calls.set(index, { id: '', type: 'function', function: { name: '', arguments: '' } })
  const called = { ...asObject(call.function), ...(name ? { name } : {}) }
  grow(called, 'arguments', text)
  Object.assign(call, id ? { id } : {}, { function: called })
}

/** An incomplete response has reached its most tokens: the stream is whole. */
const ENDS: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete', 'response.failed'])

/** Whether the status of a response is none of a whole one. */
function isCutOff(status: unknown): boolean {
  return isString(status) && status !== 'completed' && status !== 'incomplete'
}

/** The fields of an item that grow, by the first part of an event's type: `.delta` is behind it, or `.done` with the whole. */
const ITEM_FIELDS: Readonly<Record<string, string>> = {
  'response.function_call_arguments': 'arguments',
  'response.mcp_call_arguments': 'arguments',
  'response.custom_tool_call_input': 'input',
  'response.code_interpreter_call_code': 'code',
}

/** Those of a part of an item, with the part before its first text. */
const PART_FIELDS: Readonly<Record<string, readonly [field: string, empty: Growing]>> = {
  'response.output_text': ['text', { type: 'output_text', text: '', annotations: [] }],
  'response.refusal': ['refusal', { type: 'refusal', refusal: '' }],
  'response.reasoning_text': ['text', { type: 'reasoning_text', text: '' }],
  'response.reasoning_summary_text': ['text', { type: 'summary_text', text: '' }],
}

/** An item of the output. Its lists of parts grow. */
interface Item {
  readonly content: Parts
  readonly summary: Parts
}

function responsesAnswer(events: readonly JsonObject[]): StreamedAnswer {
  const items = new Parts()
  const lists = new Map<Growing, Item>()
  let usage: unknown
  let isWhole = false
  const listsOf = (item: Growing): Item => {
    const known = lists.get(item) ?? {
      content: new Parts(asArray(item.content)),
      summary: new Parts(asArray(item.summary)),
    }
    lists.set(item, known)
    return known
  }
  for (const event of events) {
    const type = asString(event.type) ?? ''
    if (Array.isArray(event.output))
      return answerOf('assistant', event.output, event.usage, !isCutOff(event.status))
    const id = event.item_id ?? asObject(event.item).id
    const known = id === undefined ? undefined : items.indexOf((item) => item.id === id)
    const index = event.output_index ?? known
    const item = items.at(index)
    if (type === 'response.output_item.added') items.set(index, event.item)
    else if (type === 'response.output_item.done')
      items.set(index ?? (id === undefined ? items.last : undefined), event.item)
    else if (type === 'error') isWhole = false
    else if (ENDS.has(type)) {
      const response = asObject(event.response)
      usage = response.usage
      isWhole = type !== 'response.failed'
      const output = asArray(response.output)
      if (output.length > 0) return answerOf('assistant', output.map(asObject), usage, isWhole)
    } else if (item) growItem(item, listsOf(item), event)
  }
  const output = items.list.map((item) => {
    const { content, summary } = listsOf(item)
    return {
      ...item,
      ...(content.list.length > 0 ? { content: content.list } : {}),
      ...(summary.list.length > 0 ? { summary: summary.list } : {}),
    }
  })
  return answerOf('assistant', output, usage, isWhole)
}

function growItem(item: Growing, { content, summary }: Item, event: JsonObject): void {
  const type = asString(event.type) ?? ''
  const name = type.replace(/\.\w+$/, '')
  const isDelta = type.endsWith('.delta')
  const isSummary = name.startsWith('response.reasoning_summary')
  const [list, at] = isSummary ? [summary, event.summary_index] : [content, event.content_index]
  if (name === 'response.content_part' || name === 'response.reasoning_summary_part') list.set(at, event.part)
  else if (name === 'response.output_text.annotation') {
    const part = list.at(at)
    if (part) part.annotations = [...asArray(part.annotations), event.annotation]
  } else {
    const [partField, empty] = PART_FIELDS[name] ?? []
    const field = partField ?? ITEM_FIELDS[name]
    if (field === undefined) return
    const part = empty ? (list.at(at) ?? list.set(at, empty)) : item
    if (isDelta) grow(part, field, event.delta)
    else if (isString(event[field])) part[field] = event[field]
  }
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
