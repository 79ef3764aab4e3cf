import { asString, type JsonObject } from '../../../json/values.ts'
import { withChanges } from '../../../json/with-changes.ts'
import { COMPACTED } from '../../../session/values/compaction.ts'
import type { AcpContext } from '../context.ts'
import type { KnownCall } from '../memory.ts'
import { readParts, textOfPart } from './content.ts'
import { showNote } from './note.ts'

/** Reads a compaction of the unstable protocol. An update has its status, and the whole summary if the agent sends it at once. */
export function readCompaction(conversationId: string, update: JsonObject, context: AcpContext): void {
  const id = asString(update.compactionId)
  if (id === undefined) return
  const status = update.status === 'in_progress' ? 'pending' : 'complete'
  const message = asString(update.error) ?? COMPACTED
  if (!context.call(id)?.isEnded)
    showNote(conversationId, { id, subtype: 'compaction', message, status }, context)
  const summary = readParts(update.summary, 'compaction_update', context).map(textOfPart).join('')
  const known = rememberSummary(conversationId, { id, summary: summary || undefined }, context)
  if (status === 'complete') endCompaction(known, context)
}

/** Reads a further piece of a summary. */
export function readCompactionChunk(conversationId: string, update: JsonObject, context: AcpContext): void {
  const id = asString(update.compactionId)
  const [part] = readParts([update.content], 'compaction_summary_chunk', context)
  if (id === undefined || !part || context.call(id)?.isEnded) return
  if (!context.call(id))
    showNote(conversationId, { id, subtype: 'compaction', message: COMPACTED, status: 'pending' }, context)
  const before = context.call(id)?.terminal ?? ''
  rememberSummary(conversationId, { id, summary: before + textOfPart(part) }, context)
}

/** Remembers the summary like the output of a call. */
function rememberSummary(
  conversationId: string,
  { id, summary }: { readonly id: string; readonly summary: string | undefined },
  context: AcpContext,
): KnownCall {
  const known = context.call(id)
  const call: KnownCall = {
    id,
    conversationId,
    role: 'compaction',
    toolName: 'compact',
    fields: {},
    ...known,
    terminal: summary ?? known?.terminal,
  }
  context.rememberCall(call)
  return call
}

function endCompaction(call: KnownCall, context: AcpContext): void {
  if (call.isEnded) return
  context.rememberCall(withChanges(call, { isEnded: true }))
  const { id, conversationId, terminal: content } = call
  if (content === undefined) return
  const block = { type: 'user_message', id: `${id}:summary`, status: 'complete', content } as const
  context.upsert(conversationId, { ...block, origin: 'summary' })
}
