import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asObject, asString, type JsonObject } from '../../../json/values.ts'
import type { OpencodeContext } from '../context.ts'
import type { Turn } from '../memory.ts'
import { note } from './note.ts'

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
  translation: OpencodeContext,
): void {
  const code = asString(error.name)
  const message = asString(asObject(error.data).message) ?? code ?? 'the turn failed'
  if (isAborted(error))
    return note(conversationId, { id, subtype: 'interruption', message, timestamp }, translation)
  const block = { type: 'error', id, status: 'error', message, code, timestamp } as const
  translation.upsert(conversationId, omitUndefined(block))
}
