import { fnv1a } from '../../../core/json/checksum.ts'
import { asString, type JsonObject } from '../../../core/json/values.ts'
import { COMPACTED, type NoteFacts, noteBlock, summaryBlocks } from '../../kit/blocks.ts'
import type { AcpContext } from '../context.ts'
import { readParts, textOfPart } from './content.ts'

/** The subtype of a note that the program asks the model again. */
export const RETRY = 'retry'

/** Returns a note without an id. The same words in the same conversation are one note. */
export function unnamedNote({ subtype, message }: Pick<NoteFacts, 'subtype' | 'message'>) {
  return noteBlock({ id: `${subtype}:${wordsKey(message)}`, subtype, message })
}

/** Returns a short key for a text, in base 36. Different texts seldom have the same key. */
export function wordsKey(text: string): string {
  return (fnv1a(text) >>> 0).toString(36)
}

/** Reads a compaction of the unstable protocol. An update has its status, and the whole summary if the agent sends it at once. */
export function readCompaction(conversationId: string, update: JsonObject, context: AcpContext): void {
  const id = asString(update.compactionId)
  if (id === undefined) return
  const summary = readParts(update.summary, 'compaction_update', context).map(textOfPart).join('')
  if (update.status === 'in_progress') return addSummary(conversationId, { id, summary }, context)
  const message = asString(update.error) ?? COMPACTED
  context.upsert(conversationId, noteBlock({ id, subtype: 'compaction', message }))
  const key = context.notes.keyOf(conversationId, id)
  const whole = summary || context.notes.values.summaries.get(key)
  context.notes.removeEntry('summaries', key)
  for (const block of summaryBlocks({ id, summary: whole })) context.upsert(conversationId, block)
}

/** Reads a further piece of a summary. */
export function readCompactionChunk(conversationId: string, update: JsonObject, context: AcpContext): void {
  const id = asString(update.compactionId)
  const [part] = readParts([update.content], 'compaction_summary_chunk', context)
  if (id === undefined || !part) return
  const before = context.notes.values.summaries.get(context.notes.keyOf(conversationId, id)) ?? ''
  addSummary(conversationId, { id, summary: before + textOfPart(part) }, context)
}

/** Shows a compaction that has not ended. */
function addSummary(
  conversationId: string,
  { id, summary }: { readonly id: string; readonly summary: string },
  context: AcpContext,
): void {
  if (context.state.findBlock(conversationId, id) && !context.state.isOpen(conversationId, id)) return
  context.upsert(conversationId, noteBlock({ id, subtype: 'compaction', message: COMPACTED }, 'pending'))
  if (summary !== '') context.notes.setEntry('summaries', context.notes.keyOf(conversationId, id), summary)
}
