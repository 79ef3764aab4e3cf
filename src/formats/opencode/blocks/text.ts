import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asObject, asString } from '../../../json/values.ts'
import { typeName } from '../../translation/context.ts'
import { PersistentMap } from '../../translation/persistent-map.ts'
import type { OpencodeContext } from '../context.ts'
import { isoTime } from '../events/time.ts'
import { findPart, knownMessage, rememberMessage, rememberPart } from '../known/message.ts'
import type { KnownPart } from '../memory.ts'
import type { MessageRef, PartUpdate } from '../routing/event-place.ts'

/** Translates a text or reasoning part of the model. The part's text replaces the block's text. */
export function translateText(
  ref: MessageRef,
  { part, id, eventId }: PartUpdate,
  context: OpencodeContext,
): void {
  const before = findPart(ref, id, context)
  const { start, end } = asObject(part.time)
  const isFinal = typeof end === 'number' || typeof start !== 'number'
  if (isRepeatedEvent(before, eventId) || (before?.isFinal === true && !isFinal)) return
  const { isSummary, isComplete, model } = knownMessage(ref, context)
  const { conversationId, messageId } = ref
  const status = isFinal || isComplete ? ('complete' as const) : ('pending' as const)
  const [content, timestamp] = [asString(part.text) ?? '', isoTime(start)]
  const type = part.type === 'text' ? ('assistant_text' as const) : ('thinking' as const)
  context.upsert(
    conversationId,
    isSummary && type === 'assistant_text'
      ? omitUndefined({ type: 'user_message', id, status, content, timestamp, origin: 'summary' })
      : omitUndefined({ type, id, status, content, timestamp, messageId, model }),
  )
  const seenEventIds = isFinal ? undefined : withSeenEvent(before, eventId)
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
  const before = findPart(ref, id, context)
  if (before?.isFinal === true || isRepeatedEvent(before, eventId)) return
  const { conversationId } = ref
  context.emit({ type: 'block:delta', conversationId, blockId: id, delta })
  if (before) rememberPart(ref, { ...before, seenEventIds: withSeenEvent(before, eventId) }, context)
}

function isRepeatedEvent(part: KnownPart | undefined, eventId: string | undefined): boolean {
  return eventId !== undefined && part?.seenEventIds?.get(eventId) !== undefined
}

function withSeenEvent(part: KnownPart | undefined, eventId: string | undefined): PersistentMap<string> {
  const seenEventIds = part?.seenEventIds ?? new PersistentMap<string>()
  return eventId === undefined ? seenEventIds : seenEventIds.with(eventId, eventId)
}

function setStreaming(ref: MessageRef, partId: string, isStreaming: boolean, context: OpencodeContext): void {
  const message = knownMessage(ref, context)
  const { streamingPartIds } = message
  if (streamingPartIds.includes(partId) === isStreaming) return
  const changed = isStreaming ? [...streamingPartIds, partId] : withoutId(streamingPartIds, partId)
  rememberMessage(ref, { ...message, streamingPartIds: changed }, context)
}

/** Returns the ids without the given one. */
export function withoutId(ids: readonly string[], id: string): readonly string[] {
  return ids.filter((other) => other !== id)
}
