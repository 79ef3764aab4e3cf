import type { IncomingBlock } from '../../../events/event.ts'
import { omitUndefined } from '../../../json/omit-undefined.ts'
import { addToResumed, repeatedTo } from '../../../session/resume/resumed-text.ts'
import type { CodexContext } from '../context.ts'
import type { CodexEventOf } from '../events/event.ts'
import type { TextItem } from '../items/item.ts'
import type { KnownItem } from '../memory.ts'

/** Shows the start of a text. A repeated start adds nothing. */
export function startText(threadId: string, item: TextItem, context: CodexContext): void {
  const known = context.item(threadId, item.id)
  if (!known) return openText(threadId, item, context)
  // After a resume, the deltas of a text whose start comes again come from its start.
  const { resumedText } = known
  if (resumedText && resumedText.place?.type !== 'appended')
    context.updateItem(threadId, item.id, {
      resumedText: { ...resumedText, place: repeatedTo(0) },
    })
}

function openText(threadId: string, item: TextItem, context: CodexContext): void {
  context.updateItem(threadId, item.id, {})
  const { openTextIds } = context.factsOf(threadId)
  context.updateThread(threadId, { openTextIds: [...openTextIds, item.id] })
  context.showWork(threadId, textBlock(item, 'pending'), item.startedAt)
}

/** Shows a whole text. It is the last text of its reply so far, so the tokens of the reply get its id. */
export function completeText(threadId: string, item: TextItem, context: CodexContext): void {
  if (context.item(threadId, item.id)?.endedBy) return
  context.endItem(threadId, item.id, 'item')
  const { openTextIds, lastText, hasTurns, reports } = context.factsOf(threadId)
  context.updateThread(threadId, {
    openTextIds: openTextIds.filter((id) => id !== item.id),
    replyId: item.id,
    lastText: item.kind === 'text' ? item.text : lastText,
  })
  context.show(threadId, textBlock(item, 'complete'))
  // Files of early versions have neither items nor the ends of turns.
  if (!hasTurns && reports !== 'items' && item.kind === 'text' && context.factsOf(threadId).isMain)
    context.answerTurn(omitUndefined({ timestamp: item.startedAt }))
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
  if (!context.item(threadId, id))
    openText(threadId, { id, kind: kind === 'thinking' ? 'thinking' : 'text', text: '' }, context)
  if (!isNewDelta(threadId, event, context)) return
  const { resumedText, time: startedAt } = context.item(threadId, id) ?? {}
  const conversationId = context.conversationOf(threadId)
  if (!resumedText) return context.emit({ type: 'block:delta', conversationId, blockId: id, delta })
  // The deltas of a resumed text may come again.
  const { kind: resumedKind, content, place } = resumedText
  const added = addToResumed(content, { delta, place })
  const rest = added.place && { kind: resumedKind, content, place: added.place }
  context.updateItem(threadId, id, { resumedText: rest })
  if (added.content === undefined)
    context.emit({ type: 'block:delta', conversationId, blockId: id, delta: added.delta })
  else context.show(threadId, textBlock({ id, kind: resumedKind, text: added.content, startedAt }, 'pending'))
}

/**
 * Remembers a delta, and returns whether it is a new one. Deltas have no numbers. Two equal ones in one millisecond count as repeated; the
 * item's end has the whole text.
 */
export function isNewDelta(
  threadId: string,
  { itemId, delta, time }: CodexEventOf<'delta'>,
  context: CodexContext,
): boolean {
  const item: KnownItem = context.item(threadId, itemId) ?? { id: itemId }
  if (item.endedBy) return false
  if (time === undefined) return true
  const { deltaTime = '', deltas = [] } = item
  if (time < deltaTime || (time === deltaTime && deltas.includes(delta))) return false
  context.updateItem(threadId, itemId, {
    deltaTime: time,
    deltas: time === deltaTime ? [...deltas, delta] : [delta],
  })
  return true
}

/** Removes the texts of a reply that was cut. The program requests the reply again. */
export function retractOpenTexts(threadId: string, context: CodexContext): void {
  const { openTextIds } = context.factsOf(threadId)
  for (const blockId of openTextIds) {
    context.emit({ type: 'block:removed', conversationId: context.conversationOf(threadId), blockId })
    context.updateItem(threadId, blockId, { endedBy: 'item' })
  }
  if (openTextIds.length > 0) context.updateThread(threadId, { openTextIds: [] })
}
