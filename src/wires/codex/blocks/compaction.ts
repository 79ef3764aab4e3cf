import { omitUndefined } from '../../../json/omit-undefined.ts'
import { COMPACTED } from '../../../session/values/compaction.ts'
import type { CodexContext } from '../context.ts'
import type { CodexEventOf } from '../events/event.ts'
import type { Item } from '../items/item.ts'
import { showNote } from './system-block.ts'

/** Shows a compaction. Only a rollout has its summary, which comes before the item. */
export function showCompaction(
  threadId: string,
  item: Item,
  isCompleted: boolean,
  context: CodexContext,
): void {
  const { id, startedAt: time } = item
  if (context.item(threadId, id)?.endedBy) return
  context.updateItem(threadId, id, isCompleted ? { endedBy: 'item' } : {})
  const status = isCompleted ? 'complete' : 'pending'
  showNote(threadId, { id, subtype: 'compaction', message: COMPACTED, time, status }, context)
  const held = context.factsOf(threadId).heldCompaction
  if (!held || !isCompleted) return
  context.updateThread(threadId, { heldCompaction: undefined })
  showSummary(threadId, { id, ...held }, context)
}

interface Summary {
  readonly id: string
  readonly summary?: string | undefined
  readonly time?: string | undefined
}

function showSummary(threadId: string, { id, summary, time }: Summary, context: CodexContext): void {
  if (summary === undefined || summary === '') return
  const block = { id: `${id}:summary`, status: 'complete', content: summary, origin: 'summary' } as const
  context.show(threadId, omitUndefined({ type: 'user_message', ...block, timestamp: time }))
}

/** Holds the summary until the item of the compaction. Versions without items have the summary alone. */
export function holdCompaction(
  threadId: string,
  { summary, time }: CodexEventOf<'compacted'>,
  context: CodexContext,
): void {
  showHeldCompaction(threadId, context)
  // The reply with the summary is no message of the conversation.
  context.updateThread(threadId, { heldCompaction: { summary, time }, heldEntry: undefined })
  if (context.factsOf(threadId).reports !== 'items') showHeldCompaction(threadId, context)
}

/** Shows a compaction that no item has reported. */
export function showHeldCompaction(threadId: string, context: CodexContext): void {
  const held = context.factsOf(threadId).heldCompaction
  if (!held) return
  const id = context.nextUnnamedId(threadId)
  context.updateThread(threadId, { heldCompaction: undefined })
  showNote(threadId, { id, subtype: 'compaction', message: COMPACTED, time: held.time }, context)
  showSummary(threadId, { id, ...held }, context)
}
