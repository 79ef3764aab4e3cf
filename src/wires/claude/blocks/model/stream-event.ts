import { compositeKey } from '../../../../json/composite-key.ts'
import { asFiniteNumber, asObject, asString, isObject, type JsonObject } from '../../../../json/values.ts'
import { typeName } from '../../../../session/context.ts'
import { PersistentMap } from '../../../../session/notes/persistent-map.ts'
import { isSubagentBlockId } from '../../../../state/block.ts'
import { MAIN } from '../../../../state/session.ts'
import type { ClaudeContext } from '../../context.ts'
import type { Line } from '../../lines/line.ts'
import type { MessageBlock, MessageRef } from '../../memory.ts'
import { keepDelta, keepStartedPart, rememberUnprompted } from '../../prompts/late-prompt.ts'
import { abandonCallsBefore, abandonStreamBefore, answerTurn, hasAnswered } from '../turn.ts'
import { reportUsage, tokenUsage } from '../usage.ts'
import { startedBlock } from './known-block.ts'
import { retractBlock, upsertStartedBlock } from './model-block.ts'
import { isKnownMessage, messageOf, recordStartedBlock, storeBlock } from './model-message.ts'

/** Translates an event of a message that streams. Whole blocks follow in `assistant` lines, which win. */
export function translateStreamEvent(line: Line, context: ClaudeContext): void {
  const event = asObject(line.raw.event)
  const ref = messageRef(line, event, context)
  switch (event.type) {
    case 'message_start':
      return ref && startMessage(line, asObject(event.message), ref, context)
    case 'content_block_start':
      startMissedTurn(line, context)
      return ref && startContentBlock(event, ref, context)
    case 'content_block_delta':
      startMissedTurn(line, context)
      return ref && translateDelta(line, event, ref, context)
    case 'message_delta':
      return updateMessage(event, ref ?? unfinishedRef(line, event, context), context)
    case 'message_stop':
      return ref && stopMessage(line, ref, context)
    case 'content_block_stop':
    case 'ping':
    case 'error':
      return
    default:
      return context.reportUnknown('unknown-message', `stream_event/${typeName(event.type)}`)
  }
}

/** Starts main's turn if the reader joined the stream in the middle of the first message. */
function startMissedTurn({ conversationId }: Line, context: ClaudeContext): void {
  if (conversationId === MAIN && context.turn.status === 'idle') context.startTurn()
}

/**
 * Returns the event's message. From 2.1.330 on, events name it. Before that it is the message that started last. If the reader joined
 * the stream after its start, only a line of the message names it.
 */
function messageRef(
  { raw, conversationId }: Line,
  event: JsonObject,
  { memory }: ClaudeContext,
): MessageRef | undefined {
  const messageId =
    asString(asObject(event.message).id) ??
    asString(raw.api_message_id) ??
    memory.streamingMessages.get(conversationId) ??
    (conversationId === MAIN ? memory.joinedMessage : undefined)
  return messageId === undefined ? undefined : { conversationId, messageId }
}

function startMessage({ raw }: Line, message: JsonObject, ref: MessageRef, context: ClaudeContext): void {
  const isNew = !isKnownMessage(ref, context)
  // The history may have the message before the stream reports it. A message that has ended is repeated.
  if (!messageOf(ref, context).isStopped) abandonStreamBefore(ref, context)
  context.setEntry('streamingMessages', ref.conversationId, ref.messageId)
  if (messageOf(ref, context).isStopped) return
  context.setEntry('streamedMessages', ref.conversationId, ref.messageId)
  if (isNew) abandonCallsBefore(ref, context)
  if (isNew && ref.conversationId === MAIN) context.startTurn()
  // From 2.1.330 on, events name their message, and the prompt comes before them.
  if (isNew && raw.api_message_id === undefined) rememberUnprompted(ref, context)
  const usage = tokenUsage(asObject(message.usage))
  reportUsage(ref, { usage, isFinal: false, model: asString(message.model) }, context)
}

function startContentBlock(event: JsonObject, ref: MessageRef, context: ClaudeContext): void {
  const index = asFiniteNumber(event.index) ?? -1
  const message = messageOf(ref, context)
  if (!isObject(event.content_block) || message.isStopped) return
  if (isAnsweredCall(event.content_block, ref, context)) return
  const known = startedBlock(event.content_block, index, context.searchIn(message.blocks))
  if (known) return repeatStart({ ...known, index }, ref, context)
  // A reader that joined the stream in the middle of the message has missed its start.
  context.setEntry('streamedMessages', ref.conversationId, ref.messageId)
  const blockId = recordStartedBlock(event.content_block, index, ref, context)
  keepStartedPart(event.content_block, blockId, ref, context)
  if (ref.conversationId === MAIN) context.startTurn()
  const { conversationId, messageId } = ref
  const place = { conversationId, messageId, blockId, model: message.model }
  upsertStartedBlock(event.content_block, place, context)
}

function translateDelta({ uuid }: Line, event: JsonObject, ref: MessageRef, context: ClaudeContext): void {
  const { type, text, thinking, partial_json } = asObject(event.delta)
  switch (type) {
    case 'text_delta':
    case 'thinking_delta': {
      const delta = asString(text) ?? asString(thinking) ?? ''
      return appendDelta({ ref, index: event.index, delta, isInput: false, uuid }, context)
    }
    // The joined parts differ from the input of the whole block, because the program fills in defaults.
    case 'input_json_delta': {
      const delta = asString(partial_json) ?? ''
      return appendDelta({ ref, index: event.index, delta, isInput: true, uuid }, context)
    }
    // The whole block has these.
    case 'signature_delta':
    case 'citations_delta':
      return
    default:
      return context.reportUnknown('unknown-block', `delta/${typeName(type)}`)
  }
}

/** Whether the block is a call that the history has with its result. The reader may not know the call's message. */
function isAnsweredCall(
  { id }: JsonObject,
  { conversationId }: MessageRef,
  { memory }: ClaudeContext,
): boolean {
  return memory.unnamedResults.get(compositeKey(conversationId, asString(id) ?? '')) !== undefined
}

/**
 * The start of a known block adds nothing. If a resume found the block unfinished, its text comes again from the beginning. The start also
 * states the index of a call, which the resume has only counted.
 */
function repeatStart(block: MessageBlock, ref: MessageRef, context: ClaudeContext): void {
  if (!block.isWhole && block.unnamedText !== undefined)
    storeBlock({ ...block, repeatedText: block.unnamedText }, ref, context)
}

interface Delta {
  readonly ref: MessageRef
  readonly index: unknown
  readonly delta: string
  /** The delta belongs to the input of a call, and not to a text. */
  readonly isInput: boolean
  readonly uuid: string | undefined
}

/**
 * Appends to a text, or to the input of a tool call. A whole block has all of it, so a late delta adds nothing. Nor does a repeated one,
 * as after a reconnect.
 */
function appendDelta({ ref, index, delta, isInput, uuid }: Delta, context: ClaudeContext): void {
  const message = messageOf(ref, context)
  const block = typeof index === 'number' ? context.searchIn(message.blocks).atIndex(index) : undefined
  if (!block || block.isWhole || message.isStopped || delta === '') return
  // A subagent's block has no input before the whole call.
  if (isInput !== (block.toolUseId !== undefined) || isSubagentBlockId(block.id)) return
  if (uuid !== undefined) {
    const { deltaUuids = new PersistentMap<string>() } = message
    if (deltaUuids.get(uuid) !== undefined) return
    const uuids = deltaUuids.with(uuid, block.id)
    if (uuids !== deltaUuids) context.editMessage(ref).deltaUuids = context.open(uuids)
  }
  const added = block.repeatedText
    ? skipRepeatedText(block.repeatedText, { block, delta, ref }, context)
    : delta
  if (added === '') return
  keepDelta(block, added, ref, context)
  context.emit({ type: 'block:delta', conversationId: ref.conversationId, blockId: block.id, delta: added })
}

/** Returns the part of a delta that the state lacks, after a resume in the middle of a block. */
function skipRepeatedText(
  repeated: string,
  { block, delta, ref }: { readonly block: MessageBlock; readonly delta: string; readonly ref: MessageRef },
  context: ClaudeContext,
): string {
  const length = repeated.startsWith(delta) ? delta.length : repeated.length
  storeBlock({ ...block, repeatedText: repeated.slice(length) }, ref, context)
  return delta.slice(length)
}

/**
 * Returns the last message of the history, unless the event states other tokens of its input. A reader that joins the stream before 2.1.330
 * between a message's last line and its end does not know the message in another way.
 */
function unfinishedRef(
  { conversationId }: Line,
  { usage }: JsonObject,
  context: ClaudeContext,
): MessageRef | undefined {
  const { unfinishedMessage: messageId } = context.memory
  if (conversationId !== MAIN || messageId === undefined) return undefined
  const ref = { conversationId, messageId }
  const known = messageOf(ref, context).usage
  const stated = tokenUsage(asObject(usage))
  const isSame =
    stated.inputTokens === known?.inputTokens && stated.cacheReadTokens === known?.cacheReadTokens
  return stated.inputTokens === undefined || isSame ? ref : undefined
}

/** The end of a message states its final tokens and the stop reason. */
function updateMessage(event: JsonObject, ref: MessageRef | undefined, context: ClaudeContext): void {
  if (!ref) return
  const stopReason = asString(asObject(event.delta).stop_reason)
  const usage = tokenUsage(asObject(event.usage))
  reportUsage(ref, { usage, isFinal: stopReason !== undefined }, context)
  const isRepeated = messageOf(ref, context).isStopped === true
  if (ref.conversationId === MAIN && !isRepeated && hasAnswered(stopReason)) answerTurn({}, context)
}

function stopMessage({ raw }: Line, ref: MessageRef, context: ClaudeContext): void {
  context.removeEntry('streamingMessages', ref.conversationId)
  context.remember({ joinedMessage: undefined })
  const message = context.editMessage(ref)
  message.deltaUuids = undefined
  message.isStopped = true
  const { api_message_id, from_block_index } = asObject(raw.abandoned_blocks)
  const from = asFiniteNumber(from_block_index)
  if (from !== undefined)
    retractBlocks({ ...ref, messageId: asString(api_message_id) ?? ref.messageId }, from, context)
}

/** The connection was lost, and the program took back the blocks from that index on. */
function retractBlocks(ref: MessageRef, from: number, context: ClaudeContext): void {
  const message = messageOf(ref, context)
  const blocks = message.blocks.filter(({ index }) => index < from)
  for (const { index, id: blockId } of message.blocks)
    if (index >= from) retractBlock(ref.conversationId, blockId, context)
  context.editMessage(ref).blocks = blocks
}
