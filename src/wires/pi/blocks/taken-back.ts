import { timeInMs } from '../../../core/json/lists.ts'
import { asString, type JsonObject } from '../../../core/json/values.ts'
import { isModelText, messageIdOf } from '../../../core/state/block.ts'
import { MAIN } from '../../../core/state/session.ts'
import type { SessionOutput } from '../../../reading/context.ts'
import type { PiContext } from '../notes.ts'
import { blocksOfEntry } from '../tree.ts'

// The program leaves a reply that broke off out of the next request (`context_edit`). Its texts stay, with the status `error`. Its
// calls are gone already: none of them has run.

/** Takes back the texts of an entry of a file. */
export function takeBackEntry(conversationId: string, edit: JsonObject, context: PiContext): void {
  const targetId = asString(edit.targetId)
  if (targetId === undefined || edit.replacement !== null) return
  for (const id of blocksOfEntry(conversationId, targetId, context)) takeBack(conversationId, id, context)
}

/**
 * Takes back the texts of a reply in a stream, which does not name its entries. The program takes back the last entry. An extension may
 * take back an earlier one, which only a file names.
 */
export function takeBackLive(edit: JsonObject, context: PiContext): void {
  const { type, id, parentId, targetId, timestamp, replacement } = edit
  const { entries } = context.notes.values
  // A file that was read before has the edit itself.
  if (type !== 'context_edit' || replacement !== null || entries.get(asString(id) ?? '')) return
  if (entries.get(asString(targetId) ?? '')) return takeBackEntry(MAIN, edit, context)
  if (targetId !== parentId) return
  const time = timeInMs(asString(timestamp) ?? '')
  const last = context.state
    .blocksOf(MAIN)
    .findLast((block) => block.timestamp !== undefined && !(timeInMs(block.timestamp) > time))
  if (!last) return
  // The way in which a reply ended has a block with the id of the reply.
  const messageId = messageIdOf(last) ?? last.id.replace(/:(?:error|interruption)$/, '')
  for (const block of [...context.state.blocksOfMessage(MAIN, messageId)]) takeBack(MAIN, block.id, context)
}

function takeBack(conversationId: string, blockId: string, output: SessionOutput): void {
  const block = output.state.findBlock(conversationId, blockId)
  if (isModelText(block) && block.status !== 'error')
    output.upsert(conversationId, { ...block, status: 'error' })
}
