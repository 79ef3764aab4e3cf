import { timeInMs } from '../../../core/json/lists.ts'
import { asString, type JsonObject } from '../../../core/json/values.ts'
import { isModelText, messageIdOf } from '../../../core/state/block.ts'
import { MAIN } from '../../../core/state/session.ts'
import type { SessionOutput } from '../../../reading/context.ts'
import type { PiContext } from '../notes.ts'
import { blocksOfEntry } from '../tree.ts'

// The program leaves a reply that broke off out of the next request (`context_edit`). Its texts stay, with the status `error`. Its
// calls are gone already: none of them has run.

/** Takes back the texts of a reply. An edit may name any entry of a file. */
export function takeBackReply(conversationId: string, edit: JsonObject, context: PiContext): void {
  const { targetId, parentId, replacement } = edit
  if (typeof targetId !== 'string' || replacement !== null) return
  const known = blocksOfEntry(conversationId, targetId, context)
  // A stream and a state alone name no entries. The program itself takes back the last one, and an extension any other.
  const ids = known.length > 0 || targetId !== parentId ? known : latestReply(conversationId, edit, context)
  for (const id of ids) takeBack(conversationId, id, context)
}

/** Takes back the texts of a reply in a stream. A file that was read before has the edit itself. */
export function takeBackLive(edit: JsonObject, context: PiContext): void {
  const isRead = context.notes.values.entries.get(asString(edit.id) ?? '') !== undefined
  if (edit.type === 'context_edit' && !isRead) takeBackReply(MAIN, edit, context)
}

/** Returns the ids of the blocks of the last reply before the edit. */
function latestReply(
  conversationId: string,
  { timestamp }: JsonObject,
  { state }: PiContext,
): readonly string[] {
  const time = timeInMs(asString(timestamp) ?? '')
  const last = state
    .blocksOf(conversationId)
    .findLast((block) => block.timestamp !== undefined && !(timeInMs(block.timestamp) > time))
  if (!last) return []
  // The way in which a reply ended has a block with the id of the reply.
  const messageId = messageIdOf(last) ?? last.id.replace(/:(?:error|interruption)$/, '')
  return [...state.blocksOfMessage(conversationId, messageId)].map(({ id }) => id)
}

function takeBack(conversationId: string, blockId: string, output: SessionOutput): void {
  const block = output.state.findBlock(conversationId, blockId)
  if (isModelText(block) && block.status !== 'error')
    output.upsert(conversationId, { ...block, status: 'error' })
}
