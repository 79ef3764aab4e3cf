import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asFiniteNumber, asObject, asString, isObject, type JsonObject } from '../../../json/values.ts'
import { MAIN } from '../../../state/session.ts'
import { typeName } from '../../translation/context.ts'
import { PersistentMap } from '../../translation/persistent-map.ts'
import type { ClaudeContext } from '../context.ts'
import type { Line } from '../lines/line.ts'
import { retractBlock, upsertStartedBlock } from './model-block.ts'
import { type MessageRef, messageOf, recordStartedBlock, storeMessage } from './model-message.ts'
import { abandonCallsBefore, abandonStreamBefore, answerTurn, hasAnswered } from './turn.ts'
import { reportUsage, tokenUsage } from './usage.ts'

/** Translates an event of a message that streams. Whole blocks follow in `assistant` lines, which win. */
export function translateStreamEvent(line: Line, context: ClaudeContext): void {
  const event = asObject(line.raw.event)
  const ref = messageRef(line, event, context)
  switch (event.type) {
    case 'message_start':
      return ref && startMessage(asObject(event.message), ref, context)
    case 'content_block_start':
      return ref && startContentBlock(event, ref, context)
    case 'content_block_delta':
      return ref && translateDelta(line, event, ref, context)
    case 'message_delta':
      return ref && updateMessage(event, ref, context)
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

/**
 * Returns the event's message. From 2.1.330 on, events name it. Before that it is the message that started last, and it
 * is unknown if the reader joined the stream after its start.
 */
function messageRef(
  { raw, conversationId }: Line,
  event: JsonObject,
  { memory }: ClaudeContext,
): MessageRef | undefined {
  const messageId =
    asString(asObject(event.message).id) ??
    asString(raw.api_message_id) ??
    memory.streamingMessages.get(conversationId)
  return messageId === undefined ? undefined : { conversationId, messageId }
}

function startMessage(message: JsonObject, ref: MessageRef, context: ClaudeContext): void {
  if (!messageOf(ref, context).isStopped) abandonStreamBefore(ref, context)
  const { streamingMessages } = context.memory
  context.remember({ streamingMessages: streamingMessages.with(ref.conversationId, ref.messageId) })
  if (messageOf(ref, context).isStopped) return
  const { streamedMessages } = context.memory
  context.remember({ streamedMessages: streamedMessages.with(ref.conversationId, ref.messageId) })
  abandonCallsBefore(ref, context)
  if (ref.conversationId === MAIN) context.startTurn()
  const usage = tokenUsage(asObject(message.usage))
  reportUsage(ref, { usage, isFinal: false, model: asString(message.model) }, context)
}

function startContentBlock(event: JsonObject, ref: MessageRef, context: ClaudeContext): void {
  const index = asFiniteNumber(event.index) ?? -1
  const message = messageOf(ref, context)
  if (!isObject(event.content_block) || message.isStopped) return
  if (message.streamedBlocks.some((block) => block.index === index)) return
  const blockId = recordStartedBlock(event.content_block, { ...ref, index }, context)
  upsertStartedBlock(event.content_block, omitUndefined({ ...ref, blockId, model: message.model }), context)
}

function translateDelta({ uuid }: Line, event: JsonObject, ref: MessageRef, context: ClaudeContext): void {
  const { type, text, thinking } = asObject(event.delta)
  switch (type) {
    case 'text_delta':
    case 'thinking_delta': {
      const delta = asString(text) ?? asString(thinking) ?? ''
      return appendDelta({ ...ref, index: event.index, delta, uuid }, context)
    }
    // The whole block has these. Its input differs from the joined parts, because the program fills in defaults.
    case 'input_json_delta':
    case 'signature_delta':
    case 'citations_delta':
      return
    default:
      return context.reportUnknown('unknown-block', `delta/${typeName(type)}`)
  }
}

interface Delta extends MessageRef {
  readonly index: unknown
  readonly delta: string
  readonly uuid: string | undefined
}

/** A whole block has all of its text, so a late delta adds nothing. Nor does a repeated one, as after a reconnect. */
function appendDelta({ index, delta, uuid, ...ref }: Delta, context: ClaudeContext): void {
  const { deltaUuids = new PersistentMap<string>(), ...message } = messageOf(ref, context)
  const block = message.streamedBlocks.find((streamed) => streamed.index === index)
  if (!block || block.isWhole || message.isStopped || delta === '') return
  if (uuid !== undefined) {
    if (deltaUuids.get(uuid) !== undefined) return
    storeMessage(ref, { ...message, deltaUuids: deltaUuids.with(uuid, block.id) }, context)
  }
  context.emit({ type: 'block:delta', conversationId: ref.conversationId, blockId: block.id, delta })
}

/** The end of a message states its final tokens and the stop reason. */
function updateMessage(event: JsonObject, ref: MessageRef, context: ClaudeContext): void {
  const stopReason = asString(asObject(event.delta).stop_reason)
  const usage = tokenUsage(asObject(event.usage))
  reportUsage(ref, { usage, isFinal: stopReason !== undefined }, context)
  const isRepeated = messageOf(ref, context).isStopped === true
  if (ref.conversationId === MAIN && !isRepeated && hasAnswered(stopReason)) answerTurn({}, context)
}

function stopMessage({ raw }: Line, ref: MessageRef, context: ClaudeContext): void {
  context.remember({ streamingMessages: context.memory.streamingMessages.without(ref.conversationId) })
  const { deltaUuids, ...message } = messageOf(ref, context)
  storeMessage(ref, { ...message, isStopped: true }, context)
  const { api_message_id, from_block_index } = asObject(raw.abandoned_blocks)
  const from = asFiniteNumber(from_block_index)
  if (from !== undefined)
    retractBlocks({ ...ref, messageId: asString(api_message_id) ?? ref.messageId }, from, context)
}

/** The connection was lost, and the program took back the blocks from that index on. */
function retractBlocks(ref: MessageRef, from: number, context: ClaudeContext): void {
  const message = messageOf(ref, context)
  const streamedBlocks = message.streamedBlocks.filter(({ index }) => index < from)
  for (const { index, id: blockId } of message.streamedBlocks)
    if (index >= from) retractBlock(ref.conversationId, blockId, context)
  storeMessage(ref, { ...message, streamedBlocks }, context)
}
