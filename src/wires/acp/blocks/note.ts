import { fnv1a } from '../../../core/json/checksum.ts'
import { asString, type JsonObject } from '../../../core/json/values.ts'
import type { SessionOutput } from '../../../reading/context.ts'
import { COMPACTED } from '../../kit/compaction.ts'
import type { AcpContext } from '../context.ts'
import { readParts, textOfPart } from './content.ts'

interface Note {
  readonly id: string
  readonly subtype: string
  readonly message: string
  readonly status?: 'pending' | 'complete'
  readonly data?: unknown
}

/** The subtype of a note that the program asks the model again. */
export const RETRY = 'retry'

/** Shows a note of the agent's program. */
export function showNote(
  conversationId: string,
  { id, subtype, message, status = 'complete', data }: Note,
  output: SessionOutput,
): void {
  output.upsert(conversationId, { type: 'system', id, status, subtype, message, data })
}

/** Shows a note without an id. The same words in the same conversation are one note. */
export function showUnnamedNote(
  conversationId: string,
  { subtype, message }: Pick<Note, 'subtype' | 'message'>,
  output: SessionOutput,
): void {
  showNote(conversationId, { id: `${subtype}:${wordsKey(message)}`, subtype, message }, output)
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
  showNote(conversationId, { id, subtype: 'compaction', message }, context)
  const key = context.notes.keyOf(conversationId, id)
  const content = summary || context.notes.values.summaries.get(key)
  context.notes.removeEntry('summaries', key)
  if (content === undefined) return
  const block = { type: 'user_message', id: `${id}:summary`, status: 'complete', content } as const
  context.upsert(conversationId, { ...block, origin: 'summary' })
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
  showNote(conversationId, { id, subtype: 'compaction', message: COMPACTED, status: 'pending' }, context)
  if (summary !== '') context.notes.setEntry('summaries', context.notes.keyOf(conversationId, id), summary)
}
