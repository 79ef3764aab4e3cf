import { asArray, asObject, asString } from '../../../src/core/json/values.ts'
import { type Dialect, dataFrame, type Tokens, textIn, type WireReply, wordsOf } from './dialect.ts'

/** OpenAI's chat completions. Thinking is in `reasoning_content`, as many providers send it. */
export const chat: Dialect = {
  asks: (path) => /\/chat\/completions$/.test(path),
  read: (body) => {
    const messages = asArray(body.messages).map(asObject)
    const calls = messages.flatMap(({ tool_calls }) => asArray(tool_calls)).map(asObject)
    const textsOf = (role: string) =>
      messages.filter((message) => message.role === role).map(({ content }) => textIn(content))
    return {
      model: asString(body.model) ?? '',
      streams: body.stream === true,
      users: textsOf('user'),
      marks: [...textsOf('assistant'), ...calls.flatMap(({ id }) => asString(id) ?? [])],
      results: messages
        .filter(({ role }) => role === 'tool')
        .map(({ tool_call_id, content }) => ({ id: asString(tool_call_id) ?? '', text: textIn(content) })),
      tools: asArray(body.tools).map((tool) => asString(asObject(asObject(tool).function).name) ?? ''),
    }
  },
  stream: function* (reply) {
    const chunk = (delta: object, reason: string | null = null) => ({
      frame: dataFrame({ ...head(reply, '.chunk'), choices: [{ index: 0, delta, finish_reason: reason }] }),
    })
    yield chunk({ role: 'assistant', content: '' })
    for (const word of wordsOf(reply.think)) yield chunk({ reasoning_content: word })
    for (const word of wordsOf(reply.say)) yield { ...chunk({ content: word }), word }
    for (const [index, call] of callsOf(reply).entries()) {
      const { arguments: text } = call.function
      yield chunk({ tool_calls: [{ index, ...call, function: { ...call.function, arguments: '' } }] })
      yield chunk({ tool_calls: [{ index, function: { arguments: text } }] })
    }
    yield chunk({}, finishReason(reply))
    yield { frame: dataFrame({ ...head(reply, '.chunk'), choices: [], usage: usageOf(reply.tokens) }) }
    yield { frame: dataFrame('[DONE]') }
  },
  whole: (reply) => ({
    ...head(reply, ''),
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: reply.say ?? null,
          ...(reply.calls.length > 0 && { tool_calls: callsOf(reply) }),
        },
        finish_reason: finishReason(reply),
      },
    ],
    usage: usageOf(reply.tokens),
  }),
  error: (status, message) => ({
    error: { message, type: status < 500 ? 'invalid_request_error' : 'server_error', code: null },
  }),
}

function head({ id, model }: WireReply, suffix: string) {
  return { id: `chatcmpl-${id}`, object: `chat.completion${suffix}`, created: 1_760_000_000, model }
}

function callsOf({ calls }: WireReply) {
  return calls.map(({ id, name, input }) => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }))
}

function finishReason({ calls }: WireReply): string {
  return calls.length > 0 ? 'tool_calls' : 'stop'
}

function usageOf({ input, output, cacheRead, cacheWrite, reasoning }: Tokens) {
  const prompt = input + cacheRead + cacheWrite
  return {
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    prompt_tokens_details: { cached_tokens: cacheRead },
    completion_tokens_details: { reasoning_tokens: reasoning },
  }
}
