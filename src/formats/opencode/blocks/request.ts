import { asArray, asObject, asString, type JsonObject } from '../../../json/values.ts'
import type { BlockOf } from '../../../state/block.ts'
import type { OpencodeContext } from '../context.ts'
import type { BusEvent } from '../events/event.ts'
import type { SessionPlace } from '../events/session.ts'

/** What the program asks of the person: a block that is pending until the answer comes. */
export function askPerson(
  { conversationId }: SessionPlace,
  { type, properties: { id, sessionID, ...data } }: BusEvent,
  translation: OpencodeContext,
): void {
  const requestId = asString(id) ?? ''
  if (translation.memory.requests.get(requestId)) return
  const subtype = subtypeOf(type)
  const message = subtype === 'question' ? questionIn(data) : permissionIn(data)
  const status = 'pending'
  showRequest({ type: 'system', id: requestId, conversationId, status, subtype, message, data }, translation)
}

function questionIn({ questions }: JsonObject): string {
  return asArray(questions)
    .flatMap((question) => asString(asObject(question).question) ?? [])
    .join('\n')
}

function permissionIn({ permission, patterns, title, type }: JsonObject): string {
  const what = asString(permission) ?? asString(title) ?? asString(type) ?? 'permission'
  return [what, ...asArray(patterns).flatMap((pattern) => asString(pattern) ?? [])].join(' ')
}

/** The person's answer, which the block keeps beside what was asked. */
export function answerRequest(
  { conversationId }: SessionPlace,
  { type, properties }: BusEvent,
  translation: OpencodeContext,
): void {
  const { sessionID, requestID, permissionID, ...answer } = properties
  const id = asString(requestID) ?? asString(permissionID) ?? ''
  const subtype = subtypeOf(type)
  const unasked = {
    type: 'system',
    id,
    conversationId,
    status: 'complete',
    subtype,
    message: subtype,
  } as const
  const asked: BlockOf<'system'> = translation.memory.requests.get(id) ?? unasked
  const rejected = type === 'question.rejected' ? { rejected: true } : {}
  const data = { ...asObject(asked.data), ...answer, ...rejected }
  showRequest({ ...asked, status: 'complete', data }, translation)
}

function subtypeOf(eventType: string): 'permission' | 'question' {
  return eventType.startsWith('question') ? 'question' : 'permission'
}

function showRequest(block: BlockOf<'system'>, translation: OpencodeContext): void {
  translation.remember({ requests: translation.memory.requests.with(block.id, block) })
  translation.upsert(block.conversationId, block)
}
