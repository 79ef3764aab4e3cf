import { isEqual } from '../../../core/json/equal.ts'
import { omitUndefined } from '../../../core/json/fields.ts'
import { type ConversationBlock, isCall } from '../../../core/state/block.ts'
import { userContent } from '../../../core/state/content.ts'
import { COMPACTED } from '../../kit/compaction.ts'
import type { CodexContext, CodexMemory } from '../context.ts'
import type { CodexEventOf, KeptMessage } from '../events/event.ts'
import { type Item, type TurnError, textParts } from '../items/item.ts'

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
  showNote(threadId, { id, subtype: 'compaction', message: COMPACTED, time, status, keptBlockIds }, context)
  if (!buffered || !isCompleted) return
  context.notes.removeEntry('bufferedCompactions', context.threadKey(threadId))
  showSummary(threadId, { id, ...omitUndefined({ summary: buffered.summary, time: buffered.time }) }, context)
}

interface Summary {
  readonly id: string
  readonly summary?: string
  readonly time?: string
}

function showSummary(threadId: string, { id, summary, time }: Summary, context: CodexContext): void {
  if (summary === undefined || summary === '') return
  const block = { id: `${id}:summary`, status: 'complete', content: summary, origin: 'summary' } as const
  context.show(threadId, { type: 'user_message', ...block, timestamp: time })
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
  const { summary, time, keptBlockIds } = buffered
  const id = context.nextUnnamedId(threadId)
  showNote(threadId, { id, subtype: 'compaction', message: COMPACTED, time, keptBlockIds }, context)
  showSummary(threadId, { id, ...omitUndefined({ summary, time }) }, context)
}

/** Whether the block shows that the conversation was summed up. */
function isCompaction(block: ConversationBlock): boolean {
  if (block.type === 'user_message') return block.origin === 'summary'
  return block.type === 'system' && block.subtype === 'compaction'
}

interface Place {
  readonly id: string
  readonly time?: string | undefined
}

interface SystemNote extends Place {
  readonly subtype: string
  readonly message: string
  readonly data?: unknown
  readonly status?: 'pending' | 'complete'
  readonly keptBlockIds?: readonly string[] | undefined
}

/** Shows a note of the program. */
export function showNote(
  threadId: string,
  { time: timestamp, status = 'complete', ...facts }: SystemNote,
  context: CodexContext,
): void {
  context.show(threadId, { type: 'system', status, ...facts, timestamp })
}

/** Shows the reason of a turn that failed. */
export function showError(
  threadId: string,
  { id, message, code, time }: Place & TurnError,
  context: CodexContext,
): void {
  const block = { type: 'error', id, status: 'error', message, code, timestamp: time } as const
  context.show(threadId, block)
}
