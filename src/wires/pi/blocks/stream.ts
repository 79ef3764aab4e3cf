import { omitUndefined } from '../../../core/json/fields.ts'
import { asArray, asFiniteNumber, asObject, asString, type JsonObject } from '../../../core/json/values.ts'
import { isModelText, messageIdOf, modelOf } from '../../../core/state/block.ts'
import { MAIN } from '../../../core/state/session.ts'
import { placeCall } from '../../kit/reused-ids.ts'
import { hasTokens, type PiMessage, type ReplyRef, readUsage } from '../messages.ts'
import type { PiContext } from '../notes.ts'
import { type ReplyText, reportUsage, showText, showToolUse, textId } from './reply.ts'

/** Begins a reply of main. Its content may be ahead of the deltas, so the deltas alone build it. */
export function beginReply({ id, time, raw }: PiMessage, context: PiContext): void {
  forgetStream(context)
  if (context.isRead(MAIN, id)) return
  context.remember({ streaming: omitUndefined({ id, time, model: asString(raw.model) }) })
  context.startTurn(time)
}

/** Forgets the reply that has streamed. */
export function forgetStream(context: PiContext): void {
  if (context.notes.streaming) context.remember({ streaming: undefined })
  for (const [index] of [...context.notes.streamedCalls.entries()])
    context.removeEntry('streamedCalls', index)
}

/** Adds to the reply that streams. A reader that joined late has missed its beginning, and gets the whole reply at its end. */
export function updateReply(raw: JsonObject, context: PiContext): void {
  const { streaming } = context.notes
  const event = asObject(raw.assistantMessageEvent)
  const index = asFiniteNumber(event.contentIndex)
  if (!streaming || index === undefined) return
  const ref: ReplyRef = { conversationId: MAIN, ...streaming }
  const usage = readUsage(raw.usage)
  if (hasTokens(usage)) reportUsage(ref, { usage, final: false }, context)
  // Versions up to 0.74 name a new call only in the message so far, which may be ahead of the deltas.
  const { id, name } = asObject(asArray(asObject(raw.message).content)[index])
  readDelta(ref, { index, event: { id, toolName: name, ...event } }, context)
}

interface Delta {
  readonly index: number
  readonly event: JsonObject
}

function readDelta(ref: ReplyRef, { index, event }: Delta, context: PiContext): void {
  const [kind, step] = asString(event.type)?.split('_') ?? []
  if (kind === 'toolcall') return readCallDelta(ref, { index, event }, context)
  const type = kind === 'thinking' ? 'thinking' : kind === 'text' ? 'assistant_text' : undefined
  if (type === undefined) return
  if (step === 'start') restartText(ref, index, context)
  if (step === 'delta') appendText(ref, { index, type, content: event.delta, isWhole: false }, context)
  if (step === 'end') showText(ref, { index, type, content: event.content, isWhole: true }, context)
}

/** Begins an open text anew: after a reconnect, all its deltas come again. */
function restartText({ conversationId, id }: ReplyRef, index: number, context: PiContext): void {
  const block = context.findBlock(conversationId, textId(id, index))
  if (!isModelText(block)) return
  if (context.isOpen(conversationId, block.id))
    context.emit({ type: 'block:upsert', conversationId, block: { ...block, content: '' } })
}

/** Appends to a text. A final one has come whole before. */
function appendText(ref: ReplyRef, text: ReplyText, context: PiContext): void {
  const { conversationId, id } = ref
  const blockId = textId(id, text.index)
  if (typeof text.content !== 'string') return
  if (!context.findBlock(conversationId, blockId)) showText(ref, text, context)
  else if (context.isOpen(conversationId, blockId))
    context.emit({ type: 'block:delta', conversationId, blockId, delta: text.content })
}

function readCallDelta(ref: ReplyRef, { index, event }: Delta, context: PiContext): void {
  const key = String(index)
  const { type, delta, id, toolName } = event
  if (type === 'toolcall_start' && typeof id === 'string') {
    const toolUseId = placeCall({ conversationId: MAIN, messageId: ref.id, callId: id }, context)
    context.setEntry('streamedCalls', key, toolUseId)
    showStreamedCall(ref, { toolUseId, toolName, inputText: '' }, context)
  }
  const toolUseId = context.notes.streamedCalls.get(key)
  if (type === 'toolcall_delta' && typeof delta === 'string' && toolUseId !== undefined)
    appendInput(toolUseId, delta, context)
  if (type !== 'toolcall_end') return
  const call = asObject(event.toolCall)
  if (typeof call.id !== 'string') return
  const placed = placeCall({ conversationId: MAIN, messageId: ref.id, callId: call.id }, context)
  showStreamedCall(ref, { toolUseId: placed, toolName: call.name, input: call.arguments }, context)
}

interface StreamedCall {
  readonly toolUseId: string
  readonly toolName: unknown
  readonly input?: unknown
  readonly inputText?: string
}

/** Shows a call that the model writes. Whether it starts agents is known when its message is whole: the block keeps its place then. */
function showStreamedCall(
  ref: ReplyRef,
  { toolName, input = {}, ...call }: StreamedCall,
  context: PiContext,
): void {
  if (context.agentOfCall(call.toolUseId) || context.isAbandoned(call.toolUseId)) return
  const isRepeated = call.inputText === '' && context.findBlock(MAIN, call.toolUseId) !== undefined
  if (!isRepeated) showToolUse(ref, { ...call, toolName: asString(toolName) ?? '', input }, context)
}

function appendInput(toolUseId: string, delta: string, context: PiContext): void {
  const block = context.findBlock(MAIN, toolUseId)
  if (block?.type !== 'tool_use' || block.inputText === undefined) return
  context.emit({ type: 'block:delta', conversationId: MAIN, blockId: toolUseId, delta })
}

/** Returns the reply of main that streams, by its pending blocks. */
export function openReply(context: PiContext): PiContext['notes']['streaming'] {
  for (const block of context.pendingBlocks(MAIN)) {
    const id = messageIdOf(block)
    const isStreamed = block.type !== 'tool_use' || block.inputText !== undefined
    if (id === undefined || !isStreamed) continue
    return omitUndefined({ id, time: block.timestamp, model: modelOf(block) })
  }
  return undefined
}
