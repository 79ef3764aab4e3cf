import { withChanges } from '../../../core/json/fields.ts'
import { asObject, asString, type JsonObject } from '../../../core/json/values.ts'
import type { BlockOf } from '../../../core/state/block.ts'
import { MAIN } from '../../../core/state/session.ts'
import type { ClaudeContext } from '../context.ts'

/** Adds a user message. The program may have saved the files before it, so that the person can go back to them. */
export function upsertUserMessage(block: BlockOf<'user_message'>, context: ClaudeContext): void {
  const { conversationId, id } = block
  const isCheckpoint = conversationId === MAIN && context.notes.checkpoints.get(id) !== undefined
  const message = isCheckpoint ? withChanges(block, { checkpoint: true }) : block
  context.upsert(conversationId, message)
  if (isCheckpoint) context.removeEntry('checkpoints', id)
}

/**
 * Marks the message before which the program saved the files. The snapshot may stand before or after the message. Its updates have the
 * id of a later line, and name the message inside.
 */
export function translateFileSnapshot(raw: JsonObject, context: ClaudeContext): void {
  const id = asString(asObject(raw.snapshot).messageId) ?? asString(raw.messageId)
  if (id === undefined) return
  const message = context.findBlock(MAIN, id)
  if (message?.type !== 'user_message') context.setEntry('checkpoints', id, true)
  else if (!message.checkpoint) context.upsert(MAIN, withChanges(message, { checkpoint: true }))
}
