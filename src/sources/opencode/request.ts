import type { BlockOf } from '../../state/block.ts'
import { type JsonObject, list, text } from '../../state/json.ts'
import { MAIN } from '../../state/session.ts'
import type { Translation } from './translation.ts'

/** What the program asks of the person, and that it has been answered. */
type RequestKind = 'permission' | 'question'

interface Request {
  readonly kind: RequestKind
  readonly conversationId: string
  readonly properties: JsonObject
}

/** The program waits for the person: a block that is pending until the answer comes. */
export function askPerson({ kind, conversationId, properties }: Request, translation: Translation): void {
  const { id, sessionID, ...data } = properties
  const requestId = text(id) ?? ''
  if (translation.memory.requests.get(requestId)) return
  const block = {
    type: 'system',
    id: requestId,
    conversationId,
    status: 'pending',
    subtype: kind,
    message: messageOf(kind, properties),
    data,
  } as const
  translation.remember({ requests: translation.memory.requests.with(requestId, block) })
  translation.upsert(conversationId, block)
}

function messageOf(kind: RequestKind, properties: JsonObject): string {
  if (kind === 'question')
    return list(properties.questions)
      .flatMap((question) => text(Reflect.get(Object(question), 'question')) ?? [])
      .join('\n')
  const { permission, patterns, title, type } = properties
  const what = text(permission) ?? text(title) ?? text(type) ?? 'permission'
  return [what, ...list(patterns).flatMap((pattern) => text(pattern) ?? [])].join(' ')
}

/** The person's answer, which the block keeps beside what was asked. */
export function answerRequest({ kind, conversationId, properties }: Request, translation: Translation): void {
  const { sessionID, requestID, permissionID, ...answer } = properties
  const requestId = text(requestID) ?? text(permissionID) ?? ''
  const asked = translation.memory.requests.get(requestId) ?? unasked(requestId, kind, conversationId)
  translation.remember({ requests: translation.memory.requests.without(requestId) })
  const data = { ...Object(asked.data), ...answer }
  translation.upsert(conversationId, { ...asked, status: 'complete', data })
}

function unasked(id: string, subtype: RequestKind, conversationId = MAIN): BlockOf<'system'> {
  return { type: 'system', id, conversationId, status: 'complete', subtype, message: subtype }
}
