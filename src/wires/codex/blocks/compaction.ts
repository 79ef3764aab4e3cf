import { isEqual } from '../../../core/json/equal.ts'
import { omitUndefined } from '../../../core/json/fields.ts'
import { type ConversationBlock, isCall } from '../../../core/state/block.ts'
import { userContent } from '../../../core/state/content.ts'
import { COMPACTED, compactionBlocks, noteBlock, summaryBlocks } from '../../kit/blocks.ts'
import type { CodexContext, CodexMemory } from '../context.ts'
import type { CodexEventOf, KeptMessage } from '../events/event.ts'
import { type Item, textParts } from '../items/item.ts'

/** Shows a compaction. Only a rollout has its summary, which comes before the item. */
export function showCompaction(
  threadId: string,
  { id, startedAt: time }: Item,
  isCompleted: boolean,
  context: CodexContext,
): void {
  if (context.isDone(threadId, id)) return
  const status = isCompleted ? 'complete' : 'pending'
  if (isCompleted) context.closeItem(threadId, id)
  const buffered = context.notes.values.bufferedCompactions.get(context.threadKey(threadId))
  const keptBlockIds = isCompleted ? buffered?.keptBlockIds : undefined
  const mark = { id, subtype: 'compaction', message: COMPACTED, keptBlockIds, timestamp: time }
  context.show(threadId, noteBlock(mark, status))
  if (!buffered || !isCompleted) return
  context.notes.removeEntry('bufferedCompactions', context.threadKey(threadId))
  for (const block of summaryBlocks({ id, summary: buffered.summary, timestamp: buffered.time }))
    context.show(threadId, block)
}

/** Buffers the summary until the item of the compaction. Versions without items have the summary alone. */
export function bufferCompaction(
  threadId: string,
  { summary, time, kept }: CodexEventOf<'compacted'>,
  context: CodexContext,
): void {
  const key = context.threadKey(threadId)
  const keptBlockIds = keptBlocks(threadId, kept ?? [], summary, context)
  const compaction = omitUndefined({ summary, time, keptBlockIds })
  if (isEqual(context.notes.values.bufferedCompactions.get(key), compaction)) return
  showBufferedCompaction(threadId, context)
  // The reply with the summary is no message of the conversation.
  context.notes.removeEntry('bufferedEntries', key)
  if (context.hasBlockAt(threadId, time, isCompaction)) return
  context.notes.setEntry('bufferedCompactions', key, compaction)
  const reports = context.notes.values.reports.get(key)
  if (reports !== undefined && reports !== 'items') showBufferedCompaction(threadId, context)
}

/**
 * Returns the blocks that the model still has beside the summary. The entries of the history have other ids than the
 * items, so their content shows them: each one is the last such block that no later entry is.
 */
function keptBlocks(
  threadId: string,
  kept: readonly KeptMessage[],
  summary: string | undefined,
  memory: CodexMemory,
): readonly string[] | undefined {
  const blocks = memory.state.blocksOf(memory.conversationOf(threadId)).toReversed()
  const found = new Set<string>()
  for (const message of kept.toReversed()) {
    const block = blocks.find((each) => !found.has(each.id) && isKept(each, message))
    if (block && !isSummary(message, summary)) found.add(block.id)
  }
  return found.size === 0 ? undefined : [...found].reverse()
}

function isSummary(message: KeptMessage, summary: string | undefined): boolean {
  return 'role' in message && isEqual(message.content, textParts(summary))
}

function isKept(block: ConversationBlock, message: KeptMessage): boolean {
  if ('callId' in message) return isCall(block) && block.toolUseId === message.callId
  if (block.type === 'user_message')
    return message.role === 'user' && isEqual(block.content, userContent(message.content))
  return (
    block.type === 'assistant_text' &&
    message.role === 'assistant' &&
    isEqual(textParts(block.content), message.content)
  )
}

/** Shows a compaction that no item has reported. */
export function showBufferedCompaction(threadId: string, context: CodexContext): void {
  const key = context.threadKey(threadId)
  const buffered = context.notes.values.bufferedCompactions.get(key)
  if (!buffered) return
  context.notes.removeEntry('bufferedCompactions', key)
  const { summary, time: timestamp, keptBlockIds } = buffered
  const id = context.nextUnnamedId(threadId)
  for (const block of compactionBlocks({ id, summary, keptBlockIds, timestamp }))
    context.show(threadId, block)
}

/** Whether the block shows that the conversation was summed up. */
function isCompaction(block: ConversationBlock): boolean {
  if (block.type === 'user_message') return block.origin === 'summary'
  return block.type === 'system' && block.subtype === 'compaction'
}
