import type { BlockOf } from '../../state/block.ts'
import { fields, type JsonObject, list, text } from '../../state/json.ts'
import type { BusEvent } from './event.ts'
import type { SessionPlace } from './session.ts'
import type { Translation } from './translation.ts'

/** What the program asks of the person: a block that is pending until the answer comes. */
export function askPerson(
  { conversationId }: SessionPlace,
  { type, properties: { id, sessionID, ...data } }: BusEvent,
  translation: Translation,
): void {
  const requestId = text(id) ?? ''
  if (translation.memory.requests.get(requestId)) return
  const subtype = subtypeOf(type)
  const message = subtype === 'question' ? questionIn(data) : permissionIn(data)
  const status = 'pending'
  showRequest({ type: 'system', id: requestId, conversationId, status, subtype, message, data }, translation)
}

function questionIn({ questions }: JsonObject): string {
  return list(questions)
    .flatMap((question) => text(fields(question).question) ?? [])
    .join('\n')
}

function permissionIn({ permission, patterns, title, type }: JsonObject): string {
  const what = text(permission) ?? text(title) ?? text(type) ?? 'permission'
  return [what, ...list(patterns).flatMap((pattern) => text(pattern) ?? [])].join(' ')
}

/** The person's answer, which the block keeps beside what was asked. */
export function answerRequest(
  { conversationId }: SessionPlace,
  { type, properties }: BusEvent,
  translation: Translation,
): void {
  const { sessionID, requestID, permissionID, ...answer } = properties
  const id = text(requestID) ?? text(permissionID) ?? ''
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
  const data = { ...fields(asked.data), ...answer, ...rejected }
  showRequest({ ...asked, status: 'complete', data }, translation)
}

function subtypeOf(eventType: string): 'permission' | 'question' {
  return eventType.startsWith('question') ? 'question' : 'permission'
}

function showRequest(block: BlockOf<'system'>, translation: Translation): void {
  translation.remember({ requests: translation.memory.requests.with(block.id, block) })
  translation.upsert(block.conversationId, block)
}
