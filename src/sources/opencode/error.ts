import { fields, type JsonObject, text } from '../../state/json.ts'
import { known } from '../../state/known.ts'
import type { Translation } from './translation.ts'

interface Place {
  readonly conversationId: string
  readonly id: string
  readonly timestamp?: string
}

/** Whether it is no failure: the person stopped the session. */
export function isAborted({ name }: JsonObject): boolean {
  return name === 'MessageAbortedError'
}

/** What ended a message, or a session's turn: the person stopped it, or it failed. */
export function noteError(
  error: JsonObject,
  { conversationId, id, timestamp }: Place,
  translation: Translation,
): void {
  const code = text(error.name)
  const message = text(fields(error.data).message) ?? code ?? 'the turn failed'
  translation.upsert(
    conversationId,
    isAborted(error)
      ? known({
          type: 'system',
          id,
          status: 'complete',
          subtype: 'interruption',
          message,
          timestamp,
        } as const)
      : known({ type: 'error', id, status: 'error', message, code, timestamp } as const),
  )
}
