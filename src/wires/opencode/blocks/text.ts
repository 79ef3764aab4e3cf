import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asObject, asString } from '../../../json/values.ts'
import { typeName } from '../../../session/context.ts'
import { addToResumed, type ResumedDelta, repeatedTo } from '../../../session/resume/resumed-text.ts'
import { isoTime } from '../../../session/time.ts'
import type { OpencodeContext } from '../context.ts'
import { findPart, isRemovedPart, isRemovedText, knownMessage, rememberPart } from '../records/message.ts'
import { adoptResumedPart, startsResumed } from '../records/resumed.ts'
import { isRepeatedEvent, withSeenEvent } from '../records/seen-events.ts'
import type { MessageRef, PartUpdate } from '../routing/event-place.ts'

/** Translates a text or reasoning part of the model. The part's text replaces the block's text. */
export function translateText(
  ref: MessageRef,
  { part, id, eventId }: PartUpdate,
  context: OpencodeContext,
): void {
  const message = knownMessage(ref, context)
  if (isRemovedText(message, id)) return
  const before = message.parts.get(id)
  const { start, end } = asObject(part.time)
  const isFinal = typeof end === 'number' || typeof start !== 'number'
  if (isRepeatedEvent(before, eventId) || (before?.isFinal === true && !isFinal)) return
  const seenEventIds = isFinal ? undefined : withSeenEvent(before, eventId, context)
  const text = asString(part.text) ?? ''
  if (!isFinal && startsResumed(before, text)) {
    const resumedText = { block: before.resumedText.block, place: repeatedTo(text.length) }
    return rememberPart(ref, omitUndefined({ ...before, seenEventIds, resumedText }), context)
  }
  const { isSummary, isComplete, model } = message
  const { conversationId, messageId } = ref
  const status = isFinal || isComplete ? ('complete' as const) : ('pending' as const)
  const [content, timestamp] = [text, isoTime(start)]
  const type = part.type === 'text' ? ('assistant_text' as const) : ('thinking' as const)
  context.upsert(
    conversationId,
    isSummary && type === 'assistant_text'
      ? omitUndefined({ type: 'user_message', id, status, content, timestamp, origin: 'summary' })
      : omitUndefined({ type, id, status, content, timestamp, messageId, model }),
  )
  rememberPart(ref, omitUndefined({ id, blockIds: [id], isFinal, seenEventIds }), context)
  setStreaming(ref, id, status === 'pending', context)
}

/** Appends text to a part. A later whole part replaces the text. */
export function translateDelta(
  ref: MessageRef,
  { part: { field, delta }, id, eventId }: PartUpdate,
  context: OpencodeContext,
): void {
  if (field !== 'text' || typeof delta !== 'string')
    return context.reportUnknown('unknown-block', `delta/${typeName(field)}`)
  if (isRemovedPart(ref, id, context) || isRemovedText(knownMessage(ref, context), id)) return
  adoptResumedPart(ref, id, context)
  const before = findPart(ref, id, context)
  if (before?.isFinal === true || isRepeatedEvent(before, eventId)) return
  const { conversationId } = ref
  const { block, place } = before?.resumedText ?? {}
  const added: ResumedDelta = block ? addToResumed(block.content, { delta, place }) : { delta }
  if (block && added.content !== undefined)
    context.upsert(conversationId, { ...block, content: added.content })
  else context.emit({ type: 'block:delta', conversationId, blockId: id, delta: added.delta })
  if (!before) return
  const resumedText = block && added.place && { block, place: added.place }
  const seenEventIds = withSeenEvent(before, eventId, context)
  if (seenEventIds === before.seenEventIds && resumedText === before.resumedText) return
  const part = { ...before, resumedText, seenEventIds }
  rememberPart(ref, omitUndefined(part), context)
}

function setStreaming(ref: MessageRef, partId: string, isStreaming: boolean, context: OpencodeContext): void {
  const message = context.ownMessage(ref)
  const { streamingPartIds } = message
  if (streamingPartIds.includes(partId) === isStreaming) return
  message.streamingPartIds = isStreaming ? [...streamingPartIds, partId] : withoutId(streamingPartIds, partId)
}

/** Returns the ids without the given one. */
export function withoutId(ids: readonly string[], id: string): readonly string[] {
  return ids.filter((other) => other !== id)
}
