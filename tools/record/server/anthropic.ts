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

/** Anthropic's Messages API. */
export const anthropic: Dialect = {
  asks: (path) => /\/messages$/.test(path),
  read: (body) => {
    const messages = asArray(body.messages).map(asObject)
    const ofRole = (role: string) =>
      messages.filter((message) => message.role === role).flatMap(({ content }) => blocksIn(content))
    const said = ofRole('assistant')
    return {
      model: asString(body.model) ?? '',
      streams: body.stream === true,
      users: ofRole('user').flatMap(({ text }) => asString(text) ?? []),
      marks: said.flatMap(({ id, text }) => asString(id) ?? asString(text) ?? []),
      results: ofRole('user')
        .filter(({ type }) => type === 'tool_result')
        .map(({ tool_use_id, content }) => ({ id: asString(tool_use_id) ?? '', text: textIn(content) })),
      tools: asArray(body.tools).map((tool) => asString(asObject(tool).name) ?? ''),
    }
  },
  stream: function* (reply) {
    yield event({
      type: 'message_start',
      message: { ...message(reply), usage: { ...usageOf(reply.tokens), output_tokens: 1 } },
    })
    for (const [index, block] of blocksOf(reply).entries()) {
      yield event({ type: 'content_block_start', index, content_block: emptied(block) })
      yield* deltasOf(block, index)
      yield event({ type: 'content_block_stop', index })
    }
    yield event({
      type: 'message_delta',
      delta: { stop_reason: stopReason(reply), stop_sequence: null },
      usage: usageOf(reply.tokens),
    })
    yield event({ type: 'message_stop' })
  },
  whole: (reply) => ({
    ...message(reply),
    content: blocksOf(reply),
    stop_reason: stopReason(reply),
    usage: usageOf(reply.tokens),
  }),
  error: (status, text) => ({
    type: 'error',
    error: { type: status < 500 ? 'invalid_request_error' : 'api_error', message: text },
  }),
}

function blocksIn(content: unknown): readonly JsonObject[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : asArray(content).map(asObject)
}

function message({ id, model }: WireReply) {
  return {
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
  }
}

type Block =
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: unknown }

function blocksOf({ think, say, calls, id }: WireReply): readonly Block[] {
  return [
    ...(think === undefined
      ? []
      : [{ type: 'thinking', thinking: think, signature: `signed${id}` } as const]),
    ...(say === undefined ? [] : [{ type: 'text', text: say } as const]),
    ...calls.map((call) => ({ type: 'tool_use', id: call.id, name: call.name, input: call.input }) as const),
  ]
}

function emptied(block: Block): Block {
  switch (block.type) {
    case 'thinking':
      return { ...block, thinking: '', signature: '' }
    case 'text':
      return { ...block, text: '' }
    case 'tool_use':
      return { ...block, input: {} }
  }
}

function* deltasOf(block: Block, index: number): Iterable<Piece> {
  const delta = (value: object): Piece => event({ type: 'content_block_delta', index, delta: value })
  switch (block.type) {
    case 'thinking':
      for (const word of wordsOf(block.thinking)) yield delta({ type: 'thinking_delta', thinking: word })
      yield delta({ type: 'signature_delta', signature: block.signature })
      break
    case 'text':
      for (const word of wordsOf(block.text)) yield { ...delta({ type: 'text_delta', text: word }), word }
      break
    case 'tool_use':
      yield delta({ type: 'input_json_delta', partial_json: JSON.stringify(block.input) })
  }
}

function event(data: { readonly type: string; readonly [field: string]: unknown }): Piece {
  return { frame: namedFrame(data) }
}

function stopReason({ calls }: WireReply): string {
  return calls.length > 0 ? 'tool_use' : 'end_turn'
}

function usageOf({ input, output, cacheRead, cacheWrite }: Tokens) {
  return {
    input_tokens: input,
    output_tokens: output,
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite,
  }
}
