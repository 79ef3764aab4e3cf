import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asFiniteNumber, asObject, asString, isObject, type JsonObject } from '../../../json/values.ts'
import { MAIN } from '../../../state/session.ts'
import { typeName } from '../../translation/context.ts'
import { PersistentMap } from '../../translation/persistent-map.ts'
import type { ClaudeContext } from '../context.ts'
import type { Line } from '../lines/line.ts'
import {
  type MessageRef,
  messageOf,
  rememberMessage,
  reportUsage,
  startBlock,
  tokenUsage,
} from './message.ts'
import { announceBlock, retractBlock } from './model-block.ts'
import { beginMessage, hasAnswered } from './turn.ts'

/** An event of a message that is being streamed. Whole blocks follow in `assistant` messages, which win. */
export function translateStreamEvent(line: Line, translation: ClaudeContext): void {
  const event = asObject(line.raw.event)
  const ref = messageRef(line, event, translation)
  switch (event.type) {
    case 'message_start':
      return ref && startMessage(asObject(event.message), ref, translation)
    case 'content_block_start':
      return ref && startContentBlock(event, ref, translation)
    case 'content_block_delta':
      return ref && translateDelta(line, event, ref, translation)
    case 'message_delta':
      return ref && updateMessage(event, ref, translation)
    case 'message_stop':
      return ref && stopMessage(line, ref, translation)
    case 'content_block_stop':
    case 'ping':
    case 'error':
      return
    default:
      return translation.reportUnknown('unknown-message', `stream_event/${typeName(event.type)}`)
  }
}

/**
 * Events name their message only in newer versions; before that it is the one that started last. Where the stream was
 * joined after that, nothing tells.
 */
function messageRef(
  { raw, conversationId }: Line,
  event: JsonObject,
  { memory }: ClaudeContext,
): MessageRef | undefined {
  const messageId =
    asString(asObject(event.message).id) ??
    asString(raw.api_message_id) ??
    memory.streaming.get(conversationId)
  return messageId === undefined ? undefined : { conversationId, messageId }
}

function startMessage(message: JsonObject, ref: MessageRef, translation: ClaudeContext): void {
  const { streaming } = translation.memory
  translation.remember({ streaming: streaming.with(ref.conversationId, ref.messageId) })
  if (messageOf(ref, translation).isStopped) return
  beginMessage(ref, translation)
  if (ref.conversationId === MAIN) translation.remember({ turn: 'running' })
  const report = {
    usage: tokenUsage(asObject(message.usage)),
    isFinal: false,
    model: asString(message.model),
  }
  reportUsage(ref, report, translation)
}

function startContentBlock(event: JsonObject, ref: MessageRef, translation: ClaudeContext): void {
  const index = asFiniteNumber(event.index) ?? -1
  const message = messageOf(ref, translation)
  if (!isObject(event.content_block) || message.isStopped) return
  if (message.streamed.some(({ at }) => at === index)) return
  const blockId = startBlock(event.content_block, { ...ref, at: index }, translation)
  announceBlock(event.content_block, omitUndefined({ ...ref, blockId, model: message.model }), translation)
}

function translateDelta(
  { uuid }: Line,
  event: JsonObject,
  ref: MessageRef,
  translation: ClaudeContext,
): void {
  const { type, text: textDelta, thinking } = asObject(event.delta)
  switch (type) {
    case 'text_delta':
    case 'thinking_delta': {
      const delta = asString(textDelta) ?? asString(thinking) ?? ''
      return appendDelta({ ...ref, index: event.index, delta, uuid }, translation)
    }
    // The whole block has these: the final input wins over joined parts of it.
    case 'input_json_delta':
    case 'signature_delta':
    case 'citations_delta':
      return
    default:
      return translation.reportUnknown('unknown-block', `delta/${typeName(type)}`)
  }
}

/** Once the block is whole its text is there; a delta that comes again, as after a reconnect, adds nothing. */
function appendDelta(
  {
    index,
    delta,
    uuid,
    ...ref
  }: MessageRef & {
    readonly index: unknown
    readonly delta: string
    readonly uuid: string | undefined
  },
  translation: ClaudeContext,
): void {
  const { deltas = new PersistentMap<string>(), ...message } = messageOf(ref, translation)
  const block = message.streamed.find(({ at }) => at === index)
  if (!block || block.isWhole || message.isStopped || delta === '') return
  if (uuid !== undefined) {
    if (deltas.get(uuid) !== undefined) return
    rememberMessage(ref, { ...message, deltas: deltas.with(uuid, block.id) }, translation)
  }
  translation.emit({ type: 'block:delta', conversationId: ref.conversationId, blockId: block.id, delta })
}

/** The message's end: its final figures, and why it stopped. */
function updateMessage(event: JsonObject, ref: MessageRef, translation: ClaudeContext): void {
  const stopReason = asString(asObject(event.delta).stop_reason)
  reportUsage(
    ref,
    { usage: tokenUsage(asObject(event.usage)), isFinal: stopReason !== undefined },
    translation,
  )
  const isRepeated = messageOf(ref, translation).isStopped === true
  if (ref.conversationId === MAIN && !isRepeated && hasAnswered(stopReason))
    translation.remember({ turn: 'answered' })
}

function stopMessage({ raw }: Line, ref: MessageRef, translation: ClaudeContext): void {
  translation.remember({ streaming: translation.memory.streaming.without(ref.conversationId) })
  const { deltas, ...message } = messageOf(ref, translation)
  rememberMessage(ref, { ...message, isStopped: true }, translation)
  const { api_message_id, from_block_index } = asObject(raw.abandoned_blocks)
  const from = asFiniteNumber(from_block_index)
  if (from !== undefined)
    retractBlocks({ ...ref, messageId: asString(api_message_id) ?? ref.messageId }, from, translation)
}

/** The connection was lost: the blocks from that index on never happened. */
function retractBlocks(ref: MessageRef, from: number, translation: ClaudeContext): void {
  const message = messageOf(ref, translation)
  const streamed = message.streamed.filter(({ at }) => at < from)
  for (const { at, id: blockId } of message.streamed)
    if (at >= from) retractBlock(ref.conversationId, blockId, translation)
  rememberMessage(ref, { ...message, streamed }, translation)
}
