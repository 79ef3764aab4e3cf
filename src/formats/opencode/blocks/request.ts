import { asArray, asObject, asString, type JsonObject } from '../../../json/values.ts'
import type { BlockOf } from '../../../state/block.ts'
import type { OpencodeContext } from '../context.ts'
import type { BusEvent } from '../events/event.ts'
import type { EventPlace } from '../routing/event-place.ts'

/** Shows a permission request or a question to the user. Its block is pending until the reply arrives. */
export function translateRequest(
  { conversationId }: EventPlace,
  { type, properties: { id, sessionID, ...data } }: BusEvent,
  context: OpencodeContext,
): void {
  const requestId = asString(id) ?? ''
  if (context.memory.requests.get(requestId)) return
  const subtype = subtypeOf(type)
  const message = subtype === 'question' ? questionText(data) : permissionText(data)
  const status = 'pending'
  upsertRequest({ type: 'system', id: requestId, conversationId, status, subtype, message, data }, context)
}

function questionText({ questions }: JsonObject): string {
  return asArray(questions)
    .flatMap((question) => asString(asObject(question).question) ?? [])
    .join('\n')
}

function permissionText({ permission, patterns, title, type }: JsonObject): string {
  const name = asString(permission) ?? asString(title) ?? asString(type) ?? 'permission'
  return [name, ...asArray(patterns).flatMap((pattern) => asString(pattern) ?? [])].join(' ')
}

/** Completes a request's block with the user's reply. The block keeps the request's own data. */
export function translateReply(
  { conversationId }: EventPlace,
  { type, properties }: BusEvent,
  context: OpencodeContext,
): void {
  const { sessionID, requestID, permissionID, ...reply } = properties
  const id = asString(requestID) ?? asString(permissionID) ?? ''
  const request = context.memory.requests.get(id) ?? missedRequest({ id, conversationId, type })
  const rejected = type === 'question.rejected' ? { rejected: true } : {}
  const data = { ...asObject(request.data), ...reply, ...rejected }
  upsertRequest({ ...request, status: 'complete', data }, context)
}

interface MissedRequest {
  readonly id: string
  readonly conversationId: string
  readonly type: string
}

/** Returns a block for a reply without a known request. */
function missedRequest({ id, conversationId, type }: MissedRequest): BlockOf<'system'> {
  const subtype = subtypeOf(type)
  return { type: 'system', id, conversationId, status: 'complete', subtype, message: subtype }
}

function subtypeOf(eventType: string): 'permission' | 'question' {
  return eventType.startsWith('question') ? 'question' : 'permission'
}

function upsertRequest(block: BlockOf<'system'>, context: OpencodeContext): void {
  context.remember({ requests: context.memory.requests.with(block.id, block) })
  context.upsert(block.conversationId, block)
}
