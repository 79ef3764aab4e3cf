import { isoTime } from '../../../core/json/iso-time.ts'
import { asObject, asString } from '../../../core/json/values.ts'
import { type BlockOf, type ConversationBlock, isModelText } from '../../../core/state/block.ts'
import type { Memory } from '../../../reading/context.ts'
import { typeName } from '../../../reading/context.ts'
import type { SessionLookups } from '../../../reading/lookups.ts'
import { extendResumed, type ResumedPlace, repeatedTo } from '../../kit/resumed-text.ts'
import type { OpencodeContext } from '../context.ts'
import {
  addToNote,
  findMessage,
  forgetGrowth,
  isRemovedPart,
  isRemovedText,
  isRepeatedEvent,
  isWhole,
  modelOfMessage,
  notePartEvent,
  type PartRef,
  unnamedBlocks,
} from '../messages.ts'
import type { MessageRef, PartUpdate } from '../place.ts'

/** Translates a text or reasoning part of the model. The part's text replaces the block's text. */
export function translateText(
  ref: MessageRef,
  { part, id, eventId }: PartUpdate,
  context: OpencodeContext,
): void {
  if (isRemovedText(ref, id, context)) return
  const { sessionId, conversationId } = ref
  const partRef = { sessionId, conversationId, partId: id }
  const { start, end } = asObject(part.time)
  const isFinal = typeof end === 'number' || typeof start !== 'number'
  if (isRepeatedEvent(partRef, eventId, context.notes) || (!isFinal && isWhole(partRef, context))) return
  const content = asString(part.text) ?? ''
  if (!isFinal && (startsOpened(partRef, content, context) || startsEnded(partRef, content, context.state))) {
    context.notes.setEntry('textPlaces', context.notes.keyOf(sessionId, id), repeatedTo(content.length))
    return notePartEvent(partRef, eventId, context.notes)
  }
  const type = part.type === 'text' ? ('assistant_text' as const) : ('thinking' as const)
  const isPending = !isFinal && findMessage(ref, context)?.isComplete !== true
  const status = isPending ? ('pending' as const) : ('complete' as const)
  upsertText(ref, { id, type, content, status, timestamp: isoTime(start) }, context)
  if (isFinal) return forgetGrowth(partRef, context.notes)
  if (!context.notes.values.textPlaces.isEmpty)
    context.notes.removeEntry('textPlaces', context.notes.keyOf(sessionId, id))
  notePartEvent(partRef, eventId, context.notes)
}

type TextBlock = BlockOf<'assistant_text' | 'thinking'>

/** Shows a text of the model. The summary of the conversation is a user message. */
export function upsertText(
  ref: MessageRef,
  { id, type, content, status, timestamp }: OptionalTime<Omit<TextBlock, 'conversationId' | 'messageId'>>,
  context: OpencodeContext,
): void {
  const { conversationId, messageId } = ref
  if (type === 'assistant_text' && isSummary(ref, id, context)) {
    const block = { type: 'user_message', id, status, content, timestamp, origin: 'summary' } as const
    context.upsert(conversationId, block)
    return addToNote(ref, 'blockIds', id, context)
  }
  const model = modelOfMessage(ref, context)
  context.upsert(conversationId, { type, id, status, content, timestamp, messageId, model })
}

type OptionalTime<Block> = Omit<Block, 'timestamp'> & { readonly timestamp: string | undefined }

/** Whether a text sums up the conversation. A state shows it at the text's block. */
function isSummary(ref: MessageRef, partId: string, memory: Memory<OpencodeContext>): boolean {
  const block = memory.state.findBlock(ref.conversationId, partId)
  return findMessage(ref, memory)?.isSummary === true || (block !== undefined && isSummaryBlock(block))
}

function isSummaryBlock(block: ConversationBlock): block is BlockOf<'user_message'> {
  return block.type === 'user_message' && block.origin === 'summary'
}

/** Returns the ids of a message's texts that may still grow. */
export function growingTexts(ref: MessageRef, memory: Memory<OpencodeContext>): readonly string[] {
  const { sessionId, conversationId, messageId } = ref
  if (memory.notes.values.partEvents.isEmpty) return []
  const texts = memory.state.blocksOfMessage(conversationId, messageId).filter(isModelText)
  const summaries = unnamedBlocks(ref, memory.notes)
    .flatMap((id) => memory.state.findBlock(conversationId, id) ?? [])
    .filter(isSummaryBlock)
  return [...texts, ...summaries]
    .map(({ id }) => id)
    .filter((partId) => !isWhole({ sessionId, conversationId, partId }, memory))
}

/** Appends text to a part. A later whole part replaces the text. */
export function translateDelta(
  ref: MessageRef,
  { part: { field, delta }, id, eventId }: PartUpdate,
  context: OpencodeContext,
): void {
  if (field !== 'text' || typeof delta !== 'string')
    return context.reportUnknown('unknown-block', `delta/${typeName(field)}`)
  if (isRemovedPart(ref, id, context) || isRemovedText(ref, id, context)) return
  const { sessionId, conversationId } = ref
  const partRef = { sessionId, conversationId, partId: id }
  if (isWhole(partRef, context) || isRepeatedEvent(partRef, eventId, context.notes)) return
  const isKnown = context.state.findBlock(conversationId, id) !== undefined
  if (!addToOpened(partRef, delta, context))
    context.emit({ type: 'block:delta', conversationId, blockId: id, delta })
  if (isKnown) notePartEvent(partRef, eventId, context.notes)
}

/** An open text of an opened state, and the place in it that repeated events have reached. */
interface OpenedText {
  readonly block: (TextBlock | BlockOf<'user_message'>) & { readonly content: string }
  readonly place: ResumedPlace
}

function findOpened(
  { sessionId, conversationId, partId }: PartRef,
  memory: Memory<OpencodeContext>,
): OpenedText | undefined {
  const { textPlaces } = memory.notes.values
  const place = textPlaces.isEmpty ? undefined : textPlaces.get(memory.notes.keyOf(sessionId, partId))
  const block = place && memory.state.findBlock(conversationId, partId)
  if (!block || !(isModelText(block) || isSummaryBlock(block)) || typeof block.content !== 'string')
    return undefined
  return { block: { ...block, content: block.content }, place }
}

/** Whether a partial text is the beginning of the text that an opened state holds already. */
function startsOpened(part: PartRef, text: string, memory: Memory<OpencodeContext>): boolean {
  const { block, place } = findOpened(part, memory) ?? {}
  if (!block || (place?.type === 'appended' && place.deltas !== '')) return false
  return block.content.startsWith(text)
}

/** Whether a partial text comes again after the end of its turn, which made its block final. Its deltas follow. */
function startsEnded({ conversationId, partId }: PartRef, text: string, state: SessionLookups): boolean {
  const block = state.findBlock(conversationId, partId)
  return (
    block !== undefined && isModelText(block) && block.status !== 'pending' && block.content.startsWith(text)
  )
}

/** Adds a delta to a text of an opened state, as far as it is new. Returns false for any other text. */
function addToOpened(part: PartRef, delta: string, context: OpencodeContext): boolean {
  const opened = findOpened(part, context)
  if (!opened) return false
  const next = extendResumed(opened.block, { delta, place: opened.place }, context)
  context.notes.setEntry('textPlaces', context.notes.keyOf(part.sessionId, part.partId), next)
  return true
}
