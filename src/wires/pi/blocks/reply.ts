import { omitUndefined } from '../../../core/json/fields.ts'
import {
  asArray,
  asFiniteNumber,
  asObject,
  asString,
  isString,
  type JsonObject,
} from '../../../core/json/values.ts'
import { isModelText, messageIdOf, modelOf, toolResultBlockId } from '../../../core/state/block.ts'
import { MAIN, type TokenUsage } from '../../../core/state/session.ts'
import type { SessionOutput } from '../../../reading/context.ts'
import { typeName } from '../../../reading/context.ts'
import type { SessionLookups } from '../../../reading/lookups.ts'
import type { MainTurn } from '../../../reading/main-turn.ts'
import type { TurnEnd } from '../../../reading/turn.ts'
import { callBlock, errorBlock, noteBlock, show } from '../../kit/blocks.ts'
import { callOf, placeCall } from '../../kit/reused-ids.ts'
import { announceAgents, startAgents } from '../agents.ts'
import {
  type CallPlace,
  hasTokens,
  type PiMessage,
  type ReplyRef,
  readUsage,
  type ToolCall,
} from '../messages.ts'
import { errorId, interruptionId, type PiContext } from '../notes.ts'

/** Translates a whole reply of the model. It may have streamed before. */
export function translateReply(conversationId: string, message: PiMessage, context: PiContext): void {
  const { id, time, raw } = message
  const parts = asArray(raw.content).map(asObject)
  for (const part of parts)
    if (part.type === 'toolCall' && isString(part.id))
      placeCall({ conversationId, messageId: id, callId: part.id }, context)
  if (context.isRead(conversationId, id)) return
  const model = asString(raw.model)
  const ref: ReplyRef = { conversationId, id, time, model }
  if (conversationId === MAIN) {
    context.turn.start(time)
    context.updateFacts({ model })
  }
  const shown = new Set<string>()
  for (const [index, part] of parts.entries())
    if (part.type !== 'toolCall' || !CUT.has(raw.stopReason))
      for (const blockId of showPart(ref, index, part, context)) shown.add(blockId)
  removeOthers(ref, shown, context)
  reportTokens(ref, raw, context)
  endReply(ref, raw, context)
}

/** The reasons of a reply that broke off: the program runs none of its calls, and takes them back. */
const CUT: ReadonlySet<unknown> = new Set(['aborted', 'error', 'length'])

/** Shows a part of a whole reply. Returns the ids of its blocks. */
function showPart(ref: ReplyRef, index: number, part: JsonObject, context: PiContext): readonly string[] {
  switch (part.type) {
    case 'text':
      return showText(ref, { index, type: 'assistant_text', content: part.text, isWhole: true }, context)
    case 'thinking':
      return showText(ref, { index, type: 'thinking', content: part.thinking, isWhole: true }, context)
    case 'toolCall':
      return showCallPart(ref, part, context)
    default:
      context.reportUnknown('unknown-block', typeName(part.type))
      return []
  }
}

/** A text of the model, or the part of it that has streamed. */
interface ReplyText {
  readonly index: number
  readonly type: 'assistant_text' | 'thinking'
  readonly content: unknown
  readonly isWhole: boolean
}

/** Shows a text of the model. An empty one is none. Returns the ids of its blocks. */
function showText(
  { conversationId, id: messageId, time: timestamp, model }: ReplyRef,
  { index, type, content, isWhole }: ReplyText,
  output: SessionOutput,
): readonly string[] {
  if (typeof content !== 'string' || content === '') return []
  const id = textId(messageId, index)
  const status = isWhole ? 'complete' : 'pending'
  show(conversationId, { id, type, status, content, messageId, model, timestamp }, output)
  return [id]
}

/** Returns the id of a text by its place in the content of its message. */
function textId(messageId: string, index: number): string {
  return `${messageId}:${index}`
}

/** Shows a call. Returns the ids of its blocks. */
function showCallPart(ref: ReplyRef, part: JsonObject, context: PiContext): readonly string[] {
  if (!isString(part.id)) return []
  const toolUseId = callOf(ref.conversationId, part.id, context)
  if (!context.state.isAbandoned(toolUseId))
    showCall(ref, { toolUseId, toolName: asString(part.name) ?? '', input: part.arguments ?? {} }, context)
  return [toolUseId]
}

/** Shows a whole call. A call that starts one agent is that agent's block alone. */
export function showCall(place: CallPlace, call: ToolCall, output: SessionOutput): void {
  if (startAgents(place, call, output)) return
  showToolUse(place, call, output)
  announceAgents(place.conversationId, call, output)
}

/** Shows the call of a tool, unless its result is there. */
function showToolUse(
  { conversationId, id: messageId, time: timestamp }: CallPlace,
  call: ToolCall,
  output: SessionOutput,
): void {
  const { toolUseId } = call
  const known = output.state.findBlock(conversationId, toolUseId)
  if (known && !output.state.isOpen(conversationId, toolUseId)) return
  if (output.state.findBlock(conversationId, toolResultBlockId(toolUseId))?.status === 'complete') return
  show(conversationId, callBlock({ ...call, messageId, timestamp }), output)
}

/** Removes the blocks that have streamed and that the whole reply does not have: the connection broke. */
function removeOthers(
  { conversationId, id }: ReplyRef,
  shown: ReadonlySet<string>,
  output: SessionOutput,
): void {
  for (const block of [...output.state.blocksOfMessage(conversationId, id)]) {
    const isShown = block.type === 'subagent' ? shown.has(block.toolUseId) : shown.has(block.id)
    if (!isShown) output.emit({ type: 'block:removed', conversationId, blockId: block.id })
  }
}

/**
 * Reports the tokens of a whole reply, and adds its cost. The provider has counted those of a reply that was cut only
 * in part, or not at all.
 */
function reportTokens(ref: ReplyRef, raw: JsonObject, output: SessionOutput): void {
  const usage = readUsage(raw.usage)
  const isCut = raw.stopReason === 'error' || raw.stopReason === 'aborted'
  const isCounted = hasTokens(usage)
  if (isCounted || isCut)
    reportUsage(ref, { usage: isCounted ? usage : {}, final: !(isCut && isCounted) }, output)
  else if (raw.usage !== undefined) reportUsage(ref, { usage, final: true }, output)
  addCost(raw.usage, output)
}

/** Adds the cost of a request to that of the session. */
export function addCost(usage: unknown, output: SessionOutput): void {
  const cost = asFiniteNumber(asObject(asObject(usage).cost).total) ?? 0
  if (cost > 0) output.updateFacts({ costUsd: roundCost((output.state.facts.costUsd ?? 0) + cost) })
}

/** Reports the tokens of a reply, unless they are known. */
function reportUsage(
  { conversationId, id: messageId, model }: ReplyRef,
  { usage, final }: { readonly usage: TokenUsage; readonly final: boolean },
  output: SessionOutput,
): void {
  if (output.state.usageOf(conversationId, messageId)?.final) return
  output.emit({ type: 'usage:reported', conversationId, messageId, usage, final, model })
}

/** Sums of binary fractions have an error in their last digits. */
function roundCost(dollars: number): number {
  const rounded = Math.round(dollars * 1e9) / 1e9
  return Number.isFinite(rounded) ? rounded : dollars
}

/** Shows how the reply ended. The end of the turn is known only later: the program may try again, or the person has more to say. */
function endReply(ref: ReplyRef, raw: JsonObject, output: SessionOutput): void {
  const { stopReason, errorMessage } = raw
  const { conversationId, id, time: timestamp } = ref
  if (stopReason === 'error') {
    const message = asString(errorMessage) ?? 'error'
    show(conversationId, errorBlock({ id: errorId(id), message, timestamp }), output)
    answer(ref, { outcome: 'failed', error: message }, output.turn)
  } else if (stopReason === 'aborted') {
    const note = { id: interruptionId(id), subtype: 'interruption', message: 'Interrupted', timestamp }
    show(conversationId, noteBlock(note), output)
    answer(ref, { outcome: 'interrupted' }, output.turn)
  } else if (typeof stopReason === 'string' && !UNFINISHED.has(stopReason) && !hasCalls(raw))
    answer(ref, { outcome: 'finished' }, output.turn)
}

/** Whether the program runs calls of the reply, and goes on. Some servers end such a reply with `stop`. */
function hasCalls({ content, stopReason }: JsonObject): boolean {
  return !CUT.has(stopReason) && asArray(content).some((part) => asObject(part).type === 'toolCall')
}

/** The reasons of a reply after which the run goes on. */
const UNFINISHED: ReadonlySet<string> = new Set(['toolUse', 'pending'])

function answer({ conversationId, time }: ReplyRef, { outcome, error }: TurnEnd, turn: MainTurn): void {
  if (conversationId === MAIN) turn.answer({ outcome, error, timestamp: time })
}

/** Begins a reply of main. Its content may be ahead of the deltas, so the deltas alone build it. */
export function beginReply({ id, time, raw }: PiMessage, context: PiContext): void {
  forgetStream(context.notes)
  if (context.isRead(MAIN, id)) return
  context.notes.remember({ streaming: omitUndefined({ id, time, model: asString(raw.model) }) })
  context.turn.start(time)
}

/** Forgets the reply that has streamed. */
export function forgetStream(notes: PiContext['notes']): void {
  if (notes.values.streaming) notes.remember({ streaming: undefined })
  for (const [index] of [...notes.values.streamedCalls.entries()]) notes.removeEntry('streamedCalls', index)
}

/** Adds to the reply that streams. A reader that joined late has missed its beginning, and gets the whole reply at its end. */
export function updateReply(raw: JsonObject, context: PiContext): void {
  const { streaming } = context.notes.values
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
function restartText({ conversationId, id }: ReplyRef, index: number, output: SessionOutput): void {
  const block = output.state.findBlock(conversationId, textId(id, index))
  if (!isModelText(block)) return
  if (output.state.isOpen(conversationId, block.id))
    output.emit({ type: 'block:upsert', conversationId, block: { ...block, content: '' } })
}

/** Appends to a text. A final one has come whole before. */
function appendText(ref: ReplyRef, text: ReplyText, output: SessionOutput): void {
  const { conversationId, id } = ref
  const blockId = textId(id, text.index)
  if (typeof text.content !== 'string') return
  if (!output.state.findBlock(conversationId, blockId)) showText(ref, text, output)
  else if (output.state.isOpen(conversationId, blockId))
    output.emit({ type: 'block:delta', conversationId, blockId, delta: text.content })
}

function readCallDelta(ref: ReplyRef, { index, event }: Delta, context: PiContext): void {
  const key = String(index)
  const { type, delta, id, toolName } = event
  if (type === 'toolcall_start' && typeof id === 'string') {
    const toolUseId = placeCall({ conversationId: MAIN, messageId: ref.id, callId: id }, context)
    context.notes.setEntry('streamedCalls', key, toolUseId)
    showStreamedCall(ref, { toolUseId, toolName, inputText: '' }, context)
  }
  const toolUseId = context.notes.values.streamedCalls.get(key)
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
  output: SessionOutput,
): void {
  if (output.state.agentOfCall(call.toolUseId) || output.state.isAbandoned(call.toolUseId)) return
  const isRepeated = call.inputText === '' && output.state.findBlock(MAIN, call.toolUseId) !== undefined
  if (!isRepeated) showToolUse(ref, { ...call, toolName: asString(toolName) ?? '', input }, output)
}

function appendInput(toolUseId: string, delta: string, output: SessionOutput): void {
  const block = output.state.findBlock(MAIN, toolUseId)
  if (block?.type !== 'tool_use' || block.inputText === undefined) return
  output.emit({ type: 'block:delta', conversationId: MAIN, blockId: toolUseId, delta })
}

/** Returns the reply of main that streams, by its pending blocks. */
export function openReply(state: SessionLookups): PiContext['notes']['values']['streaming'] {
  for (const block of state.pendingBlocks(MAIN)) {
    const id = messageIdOf(block)
    const isStreamed = block.type !== 'tool_use' || block.inputText !== undefined
    if (id === undefined || !isStreamed) continue
    return omitUndefined({ id, time: block.timestamp, model: modelOf(block) })
  }
  return undefined
}
