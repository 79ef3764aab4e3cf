import {
  asFiniteNumber,
  asObject,
  asString,
  isObject,
  type JsonObject,
} from '../../../../core/json/values.ts'
import type { ConversationBlock } from '../../../../core/state/block.ts'
import { MAIN } from '../../../../core/state/session.ts'
import { apiTokens } from '../../../../programs/token-fields.ts'
import { type SessionOutput, typeName } from '../../../../reading/context.ts'
import { blockIdOf } from '../../block-ids.ts'
import type { Line } from '../../lines/line.ts'
import { withOwnId } from '../../lines/own-ids.ts'
import type { ClaudeContext, ClaudeMemory, StreamedBlock } from '../../notes.ts'
import { isUnprompted, rememberUnprompted } from '../../prompts/repeated-prompt.ts'
import { abandonCallsBefore, abandonStreamBefore, answerTurn, hasAnswered } from '../turn.ts'
import { reportUsage } from '../usage.ts'
import { blockOfCall, indexedBlocks, isKnownMessage, isWhole } from './message-blocks.ts'
import {
  isRepeatedDelta,
  isStopped,
  lastMessageOf,
  type MessageRef,
  rememberReported,
  stopStream,
  storeStreamedBlock,
  storeStreamedBlocks,
  streamedBlocks,
  textOfBlock,
  updateStream,
} from './message-stream.ts'
import { retractBlock, upsertStartedBlock } from './model-block.ts'

/** The events after the last block of a message. */
const END_EVENTS: ReadonlySet<unknown> = new Set(['message_delta', 'message_stop'])

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
function startMissedTurn({ conversationId }: Line, output: SessionOutput): void {
  if (conversationId === MAIN && output.state.turn.status === 'idle') output.turn.start()
}

/**
 * Returns the event's message. From 2.1.330 on, events name it. Before that it is the message that started last. If
 * the reader joined the stream after its start, only a line of the message names it.
 */
function messageRef(
  { raw, conversationId }: Line,
  event: JsonObject,
  memory: ClaudeMemory,
): MessageRef | undefined {
  const {
    notes: { values: notes },
  } = memory
  const stated = asString(asObject(event.message).id) ?? asString(raw.api_message_id)
  if (stated !== undefined) return { conversationId, messageId: stated }
  const messageId =
    notes.streamingMessages.get(conversationId) ?? (conversationId === MAIN ? notes.joinedMessage : undefined)
  const ref = messageId === undefined ? undefined : { conversationId, messageId }
  return ref && END_EVENTS.has(event.type) && hasCutBlock(ref, memory.notes.values) ? undefined : ref
}

/** Whether the message has a block of the history that no line has completed. Then the end of a message is that of an earlier one. */
function hasCutBlock(ref: MessageRef, notes: ClaudeContext['notes']['values']): boolean {
  return streamedBlocks(ref, notes).some(({ knownLength }) => knownLength !== undefined)
}

function startMessage({ raw }: Line, message: JsonObject, ref: MessageRef, context: ClaudeContext): void {
  const isNew = !isKnownMessage(ref, context)
  const isRepeated = isStopped(ref, context)
  if (ref.conversationId === MAIN) rememberReported(ref.messageId, context)
  // The history may have the message before the stream reports it. A message that has ended is repeated.
  if (!isRepeated) abandonStreamBefore(ref, context)
  context.notes.setEntry('streamingMessages', ref.conversationId, ref.messageId)
  if (isRepeated) return
  if (isNew) abandonCallsBefore(ref, context)
  updateStream(ref, {}, context.notes)
  if (isNew && ref.conversationId === MAIN) context.turn.start()
  // From 2.1.330 on, events name their message, and the prompt comes before them.
  if (
    raw.api_message_id === undefined &&
    (isNew || isUnprompted(context.state.blocksOf(MAIN), ref.messageId))
  )
    rememberUnprompted(ref, context.notes)
  const usage = apiTokens(asObject(message.usage))
  reportUsage(ref, { usage, isFinal: false, model: asString(message.model) }, context)
}

function startContentBlock(
  { content_block: block, index: stated }: JsonObject,
  ref: MessageRef,
  context: ClaudeContext,
): void {
  const index = asFiniteNumber(stated) ?? -1
  if (!isObject(block) || isStopped(ref, context)) return
  const part = withOwnId(block, ref, context)
  const known = startedBlock(part, index, ref, context)
  if (known) return repeatStart(known, index, ref, context)
  const { conversationId, messageId } = ref
  const blockId = blockIdOf(part, { messageId, index })
  storeStreamedBlock(ref, { index, id: blockId }, context.notes)
  if (conversationId === MAIN) context.turn.start()
  const { model } = context.state.usageOf(conversationId, messageId) ?? {}
  upsertStartedBlock(part, { conversationId, messageId, blockId, model }, context)
}

/** Returns the known block whose start comes again. A call is known by its id, because its place may be a counted one. */
function startedBlock(
  part: JsonObject,
  index: number,
  ref: MessageRef,
  memory: ClaudeMemory,
): ConversationBlock | undefined {
  const toolUseId = asString(part.id)
  const { conversationId, messageId } = ref
  const call = toolUseId === undefined ? undefined : blockOfCall(toolUseId, conversationId, memory)
  const streamed = streamedBlocks(ref, memory.notes.values).find((block) => block.index === index)
  return call ?? memory.state.findBlock(conversationId, streamed?.id ?? `${messageId}:${index}`)
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

/**
 * The start of a known block adds nothing. If the source has not read the start before, the block is unfinished in
 * the history, and its text comes again from the beginning.
 */
function repeatStart(block: ConversationBlock, index: number, ref: MessageRef, memory: ClaudeMemory): void {
  const { id } = block
  const streamed = streamedBlocks(ref, memory.notes.values).find((each) => each.id === id)
  if (streamed ? streamed.knownLength === undefined : isWhole(block, ref.conversationId, memory)) return
  const knownLength = streamed?.knownLength ?? textOfBlock(block)?.length ?? 0
  storeStreamedBlock(ref, { index, id, knownLength, repeatedLength: 0 }, memory.notes)
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
 * Appends to a text, or to the input of a tool call. A whole block has all of it, so a late delta adds nothing. Nor
 * does a repeated one, as after a reconnect.
 */
function appendDelta({ ref, index, delta, isInput, uuid }: Delta, context: ClaudeContext): void {
  if (typeof index !== 'number' || delta === '' || isStopped(ref, context)) return
  const { conversationId } = ref
  const streamed = streamedBlockAt(index, ref, context)
  const block = streamed && context.state.findBlock(conversationId, streamed.id)
  // A subagent's block has no input before the whole call.
  const text = block && textOfBlock(block)
  if (!block || text === undefined || isInput !== (block.type === 'tool_use')) return
  if (uuid !== undefined && isRepeatedDelta(uuid, ref, context.notes)) return
  const added =
    streamed.repeatedLength === undefined
      ? delta
      : skipRepeatedText(streamed, { text, delta }, ref, context.notes)
  if (added !== '') context.emit({ type: 'block:delta', conversationId, blockId: streamed.id, delta: added })
}

/** Returns the block with the index that is not whole. A reader that joins in the middle of a block has missed its start. */
function streamedBlockAt(index: number, ref: MessageRef, memory: ClaudeMemory): StreamedBlock | undefined {
  const started = streamedBlocks(ref, memory.notes.values).find((block) => block.index === index)
  if (started) return started
  const known = indexedBlocks(ref, memory).find((each) => each.index === index)
  if (!known || isWhole(known.block, ref.conversationId, memory)) return undefined
  return { index, id: known.block.id }
}

/** Returns the part of a delta that the state lacks, after a resume in the middle of a block. */
function skipRepeatedText(
  { index, id, knownLength = 0, repeatedLength = 0 }: StreamedBlock,
  { text, delta }: { readonly text: string; readonly delta: string },
  ref: MessageRef,
  notes: ClaudeContext['notes'],
): string {
  const rest = text.slice(repeatedLength, knownLength)
  // Other words are those of an earlier message, whose start came before the reader joined.
  if (!rest.startsWith(delta) && !delta.startsWith(rest)) return ''
  const length = rest.startsWith(delta) ? delta.length : rest.length
  const repeated = repeatedLength + length
  const isOver = repeated === knownLength
  storeStreamedBlock(
    ref,
    isOver ? { index, id } : { index, id, knownLength, repeatedLength: repeated },
    notes,
  )
  return delta.slice(length)
}

/**
 * Returns the last message of the history, if that ends with a call, unless the event states other tokens of its
 * input. A reader that joins the stream before 2.1.330 between a message's last line and its end does not know the
 * message in another way.
 */
function unfinishedRef(
  { conversationId }: Line,
  { usage }: JsonObject,
  memory: ClaudeMemory,
): MessageRef | undefined {
  const messageId = conversationId === MAIN ? lastMessageOf(MAIN, memory.state) : undefined
  if (messageId === undefined) return undefined
  const last = memory.state.blocksOfMessage(MAIN, messageId).at(-1)
  if ((last?.type !== 'tool_use' && last?.type !== 'subagent') || !isWhole(last, MAIN, memory))
    return undefined
  const known = memory.state.usageOf(MAIN, messageId)
  const stated = apiTokens(asObject(usage))
  const isSame =
    stated.inputTokens === known?.inputTokens && stated.cacheReadTokens === known?.cacheReadTokens
  return stated.inputTokens === undefined || isSame ? { conversationId, messageId } : undefined
}

/** The end of a message states its final tokens and the stop reason. */
function updateMessage(event: JsonObject, ref: MessageRef | undefined, context: ClaudeContext): void {
  if (!ref) return
  const stopReason = asString(asObject(event.delta).stop_reason)
  const usage = apiTokens(asObject(event.usage))
  reportUsage(ref, { usage, isFinal: stopReason !== undefined }, context)
  const isRepeated = isStopped(ref, context)
  if (ref.conversationId === MAIN && !isRepeated && hasAnswered(stopReason, ref, context.state))
    answerTurn({}, context)
}

function stopMessage({ raw }: Line, ref: MessageRef, context: ClaudeContext): void {
  context.notes.removeEntry('streamingMessages', ref.conversationId)
  context.notes.remember({ joinedMessage: undefined })
  stopStream(ref, context)
  const { api_message_id, from_block_index } = asObject(raw.abandoned_blocks)
  const from = asFiniteNumber(from_block_index)
  if (from !== undefined)
    retractBlocks({ ...ref, messageId: asString(api_message_id) ?? ref.messageId }, from, context)
}

/** The connection was lost, and the program took back the blocks from that index on. */
function retractBlocks(ref: MessageRef, from: number, context: ClaudeContext): void {
  const retracted = indexedBlocks(ref, context).filter(({ index }) => index >= from)
  const left = streamedBlocks(ref, context.notes.values).filter(({ index }) => index < from)
  for (const { block } of retracted) retractBlock(ref.conversationId, block.id, context)
  storeStreamedBlocks(ref, left, context.notes)
}
