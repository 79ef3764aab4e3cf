import { omitUndefined } from '../../core/json/fields.ts'
import { asFiniteNumber, asObject, asString, type JsonObject } from '../../core/json/values.ts'
import type { ReplyPart, Step } from '../kit/steps/step.ts'
import { readCall, readRefusal, readUserParts, resultOf } from './parts.ts'

// The lines of `exec -o stream-json`, and what becomes of each. A message of the model is in several lines with its id:
// {"type":"system","subtype":"init","cwd","session_id","model"}  facts of the session
// {"type":"message","role":"user","id","text"}  a prompt
// {"type":"reasoning"|"message","id","text"}  a part of a reply. Thinking may come twice
// {"type":"tool_call","id","messageId","toolName","parameters"}  a part of a reply
// {"type":"tool_result","id","isError","value"|"error":{"message"}}  a result
// {"type":"completion","usage"}  the end of the turn, and the tokens of the session so far, with those of its agents
// {"type":"error","message"}  the turn has failed

/** Reads a line of the stream. */
export function readStreamLine(line: JsonObject, time: string | undefined): readonly Step[] | undefined {
  const { type, id, messageId, session_id, text, message } = line
  if (typeof session_id !== 'string') return undefined
  switch (type) {
    case 'system':
      return [
        { type: 'facts', facts: { id: session_id, cwd: asString(line.cwd), model: asString(line.model) } },
      ]
    case 'message':
      return readText(line, time)
    case 'reasoning':
      return partOf(id, { type: 'thinking', text: asString(text) ?? '' }, time)
    case 'tool_call': {
      const { toolName = line.toolId, parameters } = line
      if (typeof id !== 'string') return []
      return partOf(messageId, readCall(id, asString(toolName) ?? '', parameters), time)
    }
    case 'tool_result': {
      const { isError, value, error } = line
      if (typeof id !== 'string') return []
      const output = value ?? asObject(error).message ?? asString(error) ?? ''
      return [resultOf(id, output, isError === true, time)]
    }
    case 'completion':
    case 'result':
      return readEnd(line, time)
    case 'error':
      return [
        {
          type: 'stop',
          id: `${session_id}/${time ?? ''}:stop`,
          outcome: 'failed',
          message: asString(message) ?? '',
          time,
        },
      ]
    default:
      return undefined
  }
}

function readText({ id, role, text }: JsonObject, time: string | undefined): readonly Step[] {
  if (typeof id !== 'string') return []
  const words = asString(text) ?? ''
  if (role !== 'assistant') return readUserParts(id, [{ type: 'text', text: words }], false, time)
  const refusal = readRefusal(id, words, time)
  return refusal ? [refusal] : partOf(id, { type: 'text', text: words }, time)
}

function partOf(id: unknown, part: ReplyPart, time: string | undefined): readonly Step[] {
  if (typeof id !== 'string' || (part.type !== 'call' && part.text === '')) return []
  return [{ type: 'reply', id, parts: [part], isPart: true, time }]
}

function readEnd({ usage, is_error, result }: JsonObject, time: string | undefined): readonly Step[] {
  const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens } =
    asObject(usage)
  const tokens = omitUndefined({
    inputTokens: asFiniteNumber(input_tokens),
    outputTokens: asFiniteNumber(output_tokens),
    cacheReadTokens: asFiniteNumber(cache_read_input_tokens),
    cacheWriteTokens: asFiniteNumber(cache_creation_input_tokens),
  })
  const outcome = is_error === true ? 'failed' : 'finished'
  return [
    { type: 'facts', facts: {}, usage: tokens },
    { type: 'stop', outcome, message: asString(result) ?? '', time },
  ]
}
