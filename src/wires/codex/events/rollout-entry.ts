import { asArray, asObject, asString, isString, type JsonObject } from '../../../json/values.ts'
import { withChanges } from '../../../json/with-changes.ts'
import { typeName } from '../../../session/context.ts'
import { readItem, userParts } from '../items/read-item.ts'
import { readStoredCall } from '../items/stored-call.ts'
import { type CodexEvent, unknownBlock } from './event.ts'
import { IGNORED_EVENTS } from './ignored-types.ts'
import { type RolloutPlace, textParts } from './rollout-place.ts'

/** Reads an entry of the model's history: the payload of a line of type `response_item`. */
export function readResponseItem(payload: JsonObject, place: RolloutPlace): readonly CodexEvent[] {
  const { type } = payload
  const { threadId, time } = place
  if (type === 'message') return readMessage(payload, place)
  if (type === 'reasoning') return readReasoning(payload, place)
  if (type === 'agent_message') return readAgentMessage(payload, place)
  const callId = asString(payload.call_id)
  if (isString(type) && type.endsWith('_output'))
    return callId === undefined
      ? [unknownBlock(`response_item/${type}`, place)]
      : [{ type: 'output', threadId, time, callId, output: payload.output ?? payload.tools }]
  const call = readStoredCall(payload)
  if (call) return [{ type: 'call', threadId, time, call, output: ownResult(payload) }]
  if (isString(type) && IGNORED_EVENTS.has(type)) return []
  return [unknownBlock(`response_item/${typeName(type)}`, place)]
}

/** Returns the result of a call that the model's service runs: it stands in the entry of the call. */
function ownResult({ type, status, result }: JsonObject): string | undefined {
  const isOwn = type === 'web_search_call' || type === 'image_generation_call'
  return isOwn && status === 'completed' ? (asString(result) ?? '') : undefined
}

/** Messages to the model from the program itself have the role `developer` or `system`. */
function readMessage(
  { role, id, content }: JsonObject,
  { threadId, time }: RolloutPlace,
): readonly CodexEvent[] {
  if (role !== 'user' && role !== 'assistant') return []
  const parts = isString(content) ? textParts(content) : userParts(content)
  return [{ type: 'message', threadId, time, role, id: asString(id), content: parts }]
}

/** Thinking without an id gets one of its own later. */
function readReasoning(payload: JsonObject, { threadId, time }: RolloutPlace): readonly CodexEvent[] {
  const read = readItem(withChanges(payload, { id: asString(payload.id) ?? '' }))
  if (!read) return []
  const item = withChanges(read, { startedAt: time })
  return [{ type: 'item', threadId, time, item, isCompleted: true, origin: 'entry' }]
}

/** The payload of a message between agents follows its head, in clear or encrypted. Ciphertext has no spaces. */
function readAgentMessage(
  { id, author, content }: JsonObject,
  { threadId, time }: RolloutPlace,
): readonly CodexEvent[] {
  const parts = asArray(content).map(asObject)
  const head = parts.map(({ text }) => asString(text) ?? '').join('')
  const secret = parts.map(({ encrypted_content }) => asString(encrypted_content) ?? '').join('')
  const [, kind = ''] = /^Message Type: (\w+)/.exec(head) ?? []
  const [, clear = ''] = /\nPayload:\n([\s\S]*)$/.exec(head) ?? []
  const text = clear + (/\s/.test(secret.trim()) ? secret : '')
  return [
    {
      type: 'agent-message',
      threadId,
      time,
      id: asString(id),
      author: asString(author) ?? '',
      kind,
      text: text === '' ? undefined : text,
    },
  ]
}
