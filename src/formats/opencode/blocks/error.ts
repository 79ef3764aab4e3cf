import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asObject, asString, type JsonObject } from '../../../json/values.ts'
import type { OpencodeContext } from '../context.ts'
import type { Turn } from '../memory.ts'
import { upsertSystemBlock } from './system-block.ts'

/** Whether the user stopped the session, which is no failure. */
function isAborted({ name }: JsonObject): boolean {
  return name === 'MessageAbortedError'
}

/** Returns the turn's state after an error: an abort interrupts the turn, another error fails it. */
export function turnAfterError(error: JsonObject): Turn {
  return isAborted(error) ? 'interrupted' : 'failed'
}

/** Returns the id of the block that shows how a message ended early. */
export function errorBlockId(messageId: string): string {
  return `${messageId}:error`
}

interface ErrorPlace {
  readonly conversationId: string
  readonly id: string
  readonly timestamp: string | undefined
}

/** Shows the error that ended a message or a session's turn. An abort becomes a system block `interruption`. */
export function upsertError(
  error: JsonObject,
  { conversationId, id, timestamp }: ErrorPlace,
  context: OpencodeContext,
): void {
  const code = asString(error.name)
  const message = asString(asObject(error.data).message) ?? code ?? 'the turn failed'
  if (isAborted(error))
    return upsertSystemBlock(conversationId, { id, subtype: 'interruption', message, timestamp }, context)
  const block = { type: 'error', id, status: 'error', message, code, timestamp } as const
  context.upsert(conversationId, omitUndefined(block))
}
