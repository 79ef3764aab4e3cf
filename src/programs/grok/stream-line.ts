import { asObject, asString, isObject, isString, type JsonObject, parseJson } from '../../core/json/values.ts'
import type { OwnMessage, StreamLine } from '../reader.ts'
import { outcomeOf, responseTokens } from './own-message.ts'

/** Reads a line of `-p --output-format streaming-json`: an update without its session, or a message of the program's own. */
export function streamLine(line: JsonObject): StreamLine | undefined {
  const { type, data, usage, entries } = line
  switch (type) {
    case 'text':
    case 'thought':
      return isString(data) ? { update: chunk(type, data) } : undefined
    case 'tool_call':
    case 'tool_call_update':
      return isString(line.toolCallId) ? { update: { ...line, sessionUpdate: type } } : undefined
    case 'plan':
      return Array.isArray(entries) ? { update: { sessionUpdate: type, entries } } : undefined
    case 'usage':
      return isObject(usage) ? { own: { type: 'response', usage: responseTokens(usage) } } : undefined
    case 'available_commands':
      return Array.isArray(line.commands) ? { own: { type: 'ignored' } } : undefined
    case 'end':
    case 'error':
      return endOf(line)
    default:
      return undefined
  }
}

function chunk(type: 'text' | 'thought', text: string): JsonObject {
  const sessionUpdate = type === 'text' ? 'agent_message_chunk' : 'agent_thought_chunk'
  return { sessionUpdate, content: { type: 'text', text } }
}

function endOf({ type, stopReason, sessionId, message, modelUsage }: JsonObject): StreamLine | undefined {
  const models = Object.keys(asObject(modelUsage))
  const end = {
    type: 'turn-ended',
    promptId: '',
    model: models.length === 1 ? models[0] : undefined,
    isCopy: false,
  } as const
  if (type === 'error')
    return isString(message) ? { own: { ...end, outcome: 'failed', error: wordsOf(message) } } : undefined
  if (!isString(stopReason) || !isString(sessionId)) return undefined
  return { sessionId, own: { ...end, outcome: outcomeOf(stopReason) } satisfies OwnMessage }
}

/** Returns the message of the API's error. The program puts it into JSON, behind words of its own. */
function wordsOf(message: string): string {
  const record = asObject(parseJson(message.slice(Math.max(0, message.indexOf('{')))))
  return asString(record.message) ?? message
}

/** Whether the line has fields that only this stream has together. */
export function isProofOfStream(line: JsonObject): boolean {
  switch (line.type) {
    case 'available_commands':
      return Array.isArray(line.tools) && Array.isArray(line.commands)
    case 'tool_call':
      return isString(line.toolCallId) && isString(line.toolName) && Array.isArray(line.locations)
    case 'tool_call_update':
      return isString(line.toolCallId) && 'rawOutput' in line && Array.isArray(line.locations)
    case 'end':
      return isString(line.stopReason) && isString(line.requestId) && isObject(line.modelUsage)
    default:
      return false
  }
}
