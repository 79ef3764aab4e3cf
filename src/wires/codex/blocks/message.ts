import type { IncomingBlock } from '../../../core/events/event.ts'
import { omitUndefined } from '../../../core/json/fields.ts'
import { isModelText } from '../../../core/state/block.ts'
import { type UserContentPart, userContent } from '../../../core/state/content.ts'
import { MAIN } from '../../../core/state/session.ts'
import { withLatest } from '../../kit/lines.ts'
import { extendResumed, repeatedTo } from '../../kit/resumed-text.ts'
import type { CodexContext } from '../context.ts'
import type { CodexEventOf } from '../events/event.ts'
import type { TextItem } from '../items/item.ts'
import { notePrompt } from './rewind.ts'
import { countFromLowerTotal } from './usage.ts'

interface Prompt {
  readonly id: string
  readonly content: readonly UserContentPart[]
  readonly time?: string | undefined
  /** The number of its line. */
  readonly ordinal?: number | undefined
}

/** Shows a message of a person, or of a parent agent to its agent. A repeated one adds nothing. */
export function showPrompt(
  threadId: string,
  { id, content, time, ordinal }: Prompt,
  context: CodexContext,
): void {
  const parts = userContent(content)
  if (parts === undefined || context.isKnownItem(threadId, id)) return
  countFromLowerTotal(threadId, context.notes)
  if (context.isMain(threadId)) {
    context.turn.begin(time)
    notePrompt(ordinal, context)
  }
  context.show(threadId, { type: 'user_message', id, status: 'complete', content: parts, timestamp: time })
}

/** Shows the start of a text. A repeated start adds nothing. */
export function startText(threadId: string, item: TextItem, context: CodexContext): void {
  if (!context.isKnownItem(threadId, item.id))
    return context.showWork(threadId, textBlock(item, 'pending'), item.startedAt)
  const key = context.itemKey(threadId, item.id)
  const place = context.notes.values.resumedTexts.get(key)
  // The deltas of a text whose start comes again come from its start.
  if (place && (place.type === 'repeated' || place.deltas === ''))
    context.notes.setEntry('resumedTexts', key, repeatedTo(0))
}

/** Shows a whole text. It is the last text of its reply so far, so the tokens of the reply get its id. */
export function completeText(threadId: string, item: TextItem, context: CodexContext): void {
  if (context.isDone(threadId, item.id)) return
  const { id, kind, startedAt } = item
  const key = context.threadKey(threadId)
  context.closeItem(threadId, id)
  context.notes.setEntry('replies', key, id)
  context.show(threadId, textBlock(item, 'complete'))
  if (key !== MAIN || kind !== 'text') return
  // Files of early versions have neither items nor the ends of turns.
  const { turns, reports } = context.notes.values
  if (turns.get(MAIN) === undefined && reports.get(MAIN) !== 'items')
    context.turn.answer({ timestamp: startedAt })
}

function textBlock(item: TextItem, status: 'pending' | 'complete'): IncomingBlock {
  const { id, kind, text: content, startedAt: timestamp } = item
  const fields = { id, status, content, messageId: id, timestamp }
  if (kind === 'text') return omitUndefined({ type: 'assistant_text', ...fields })
  const redacted = status === 'complete' && content === '' ? true : undefined
  return omitUndefined({ type: 'thinking', ...fields, redacted })
}

/** Appends to a text. A text whose start the reader missed begins with the delta, and its end has the whole text. */
export function appendText(threadId: string, event: CodexEventOf<'delta'>, context: CodexContext): void {
  const { itemId: id, kind, delta } = event
  const conversationId = context.conversationOf(threadId)
  const block = context.state.findBlock(conversationId, id)
  const takesDeltas = block
    ? block.status === 'pending' || context.state.isOpen(conversationId, id)
    : !context.isKnownItem(threadId, id)
  if (!takesDeltas) return
  if (!block) startText(threadId, { id, kind: kind === 'thinking' ? 'thinking' : 'text', text: '' }, context)
  const key = context.itemKey(threadId, id)
  if (!isNewDelta(key, event, context.notes)) return
  const place = context.notes.values.resumedTexts.get(key)
  if (!place) context.emit({ type: 'block:delta', conversationId, blockId: id, delta })
  else if (block && isModelText(block))
    context.notes.setEntry('resumedTexts', key, extendResumed(block, { delta, place }, context))
}

/**
 * Remembers a delta by the key of its item, and returns whether it is a new one. Deltas have no numbers. Two equal
 * ones in one millisecond count as repeated; the item's end has the whole text.
 */
export function isNewDelta(
  key: string,
  { delta, time }: CodexEventOf<'delta'>,
  notes: CodexContext['notes'],
): boolean {
  if (time === undefined) return true
  const last = notes.values.lastDeltas.get(key)
  const isOfSameTime = time === last?.time
  if (last && (time < last.time || (isOfSameTime && last.deltas.includes(delta)))) return false
  notes.setEntry('lastDeltas', key, {
    time,
    deltas: withLatest(isOfSameTime ? last.deltas : [], delta),
  })
  return true
}

/** Removes the texts of a reply that was cut. The program requests the reply again. */
export function retractOpenTexts(threadId: string, context: CodexContext): void {
  const conversationId = context.conversationOf(threadId)
  const ids = context.state
    .openBlocks(conversationId)
    .flatMap((block) => (isModelText(block) ? [block.id] : []))
  for (const blockId of ids) {
    context.closeItem(threadId, blockId)
    context.notes.setEntry('removedItems', context.itemKey(threadId, blockId), true)
    context.emit({ type: 'block:removed', conversationId, blockId })
  }
}
