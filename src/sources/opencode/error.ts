import { fields, type JsonObject, text } from '../../state/json.ts'
import { known } from '../../state/known.ts'
import type { Turn } from './memory.ts'
import { note } from './note.ts'
import type { Translation } from './translation.ts'

interface Place {
  readonly conversationId: string
  readonly id: string
  readonly timestamp?: string
}

/** Whether it is no failure: the person stopped the session. */
function isAborted({ name }: JsonObject): boolean {
  return name === 'MessageAbortedError'
}

/** Where main's turn stands after what ended it. */
export function turnAfterError(error: JsonObject): Turn {
  return isAborted(error) ? 'interrupted' : 'answered'
}

/** What ended a message, or a session's turn: the person stopped it, or it failed. */
export function noteError(
  error: JsonObject,
  { conversationId, id, timestamp }: Place,
  translation: Translation,
): void {
  const code = text(error.name)
  const message = text(fields(error.data).message) ?? code ?? 'the turn failed'
  if (isAborted(error))
    return note(conversationId, { id, subtype: 'interruption', message, timestamp }, translation)
  const block = { type: 'error', id, status: 'error', message, code, timestamp } as const
  translation.upsert(conversationId, known(block))
}
