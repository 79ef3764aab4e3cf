import {
  asArray,
  asFiniteNumber,
  asObject,
  asString,
  isString,
  type JsonObject,
} from '../../../core/json/values.ts'
import { toolResultBlockId } from '../../../core/state/block.ts'
import { MAIN, type TokenUsage } from '../../../core/state/session.ts'
import { typeName } from '../../../reading/context.ts'
import type { TurnEnd } from '../../../reading/turn.ts'
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
    context.startTurn(time)
    context.updateFacts({ model })
  }
  const shown = new Set<string>()
  for (const [index, part] of parts.entries())
    for (const blockId of showPart(ref, index, part, context)) shown.add(blockId)
  removeOthers(ref, shown, context)
  reportTokens(ref, raw, context)
  endReply(ref, raw, context)
}

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
export interface ReplyText {
  readonly index: number
  readonly type: 'assistant_text' | 'thinking'
  readonly content: unknown
  readonly isWhole: boolean
}

/** Shows a text of the model. An empty one is none. Returns the ids of its blocks. */
export function showText(
  { conversationId, id: messageId, time: timestamp, model }: ReplyRef,
  { index, type, content, isWhole }: ReplyText,
  context: PiContext,
): readonly string[] {
  if (typeof content !== 'string' || content === '') return []
  const id = textId(messageId, index)
  const status = isWhole ? 'complete' : 'pending'
  context.show(conversationId, { id, type, status, content, messageId, model, timestamp })
  return [id]
}

/** Returns the id of a text by its place in the content of its message. */
export function textId(messageId: string, index: number): string {
  return `${messageId}:${index}`
}

/** Shows a call. Returns the ids of its blocks. */
function showCallPart(ref: ReplyRef, part: JsonObject, context: PiContext): readonly string[] {
  if (!isString(part.id)) return []
  const toolUseId = callOf(ref.conversationId, part.id, context)
  if (!context.isAbandoned(toolUseId))
    showCall(ref, { toolUseId, toolName: asString(part.name) ?? '', input: part.arguments ?? {} }, context)
  return [toolUseId]
}

/** Shows a whole call. A call that starts one agent is that agent's block alone. */
export function showCall(place: CallPlace, call: ToolCall, context: PiContext): void {
  if (startAgents(place, call, context)) return
  showToolUse(place, call, context)
  announceAgents(place.conversationId, call, context)
}

/** Shows the call of a tool, unless its result is there. */
export function showToolUse(
  { conversationId, id: messageId, time: timestamp }: CallPlace,
  call: ToolCall,
  context: PiContext,
): void {
  const { toolUseId } = call
  const known = context.findBlock(conversationId, toolUseId)
  if (known && !context.isOpen(conversationId, toolUseId)) return
  if (context.findBlock(conversationId, toolResultBlockId(toolUseId))?.status === 'complete') return
  const block = { id: toolUseId, type: 'tool_use', status: 'pending', ...call, messageId, timestamp } as const
  context.show(conversationId, block)
}

/** Removes the blocks that have streamed and that the whole reply does not have: the connection broke. */
function removeOthers(
  { conversationId, id }: ReplyRef,
  shown: ReadonlySet<string>,
  context: PiContext,
): void {
  for (const block of [...context.blocksOfMessage(conversationId, id)]) {
    const isShown = block.type === 'subagent' ? shown.has(block.toolUseId) : shown.has(block.id)
    if (!isShown) context.emit({ type: 'block:removed', conversationId, blockId: block.id })
  }
}

/** Reports the tokens of a whole reply, and adds its cost. The provider has counted those of a reply that was cut only in part, or not at all. */
function reportTokens(ref: ReplyRef, raw: JsonObject, context: PiContext): void {
  const usage = readUsage(raw.usage)
  const isCut = raw.stopReason === 'error' || raw.stopReason === 'aborted'
  const isCounted = hasTokens(usage)
  if (isCounted || isCut)
    reportUsage(ref, { usage: isCounted ? usage : {}, final: !(isCut && isCounted) }, context)
  else if (raw.usage !== undefined) reportUsage(ref, { usage, final: true }, context)
  addCost(raw.usage, context)
}

/** Adds the cost of a request to that of the session. */
export function addCost(usage: unknown, context: PiContext): void {
  const cost = asFiniteNumber(asObject(asObject(usage).cost).total) ?? 0
  if (cost > 0) context.updateFacts({ costUsd: roundCost((context.facts.costUsd ?? 0) + cost) })
}

/** Reports the tokens of a reply, unless they are known. */
export function reportUsage(
  { conversationId, id: messageId, model }: ReplyRef,
  { usage, final }: { readonly usage: TokenUsage; readonly final: boolean },
  context: PiContext,
): void {
  if (context.usageOf(conversationId, messageId)?.final) return
  context.emit({ type: 'usage:reported', conversationId, messageId, usage, final, model })
}

/** Sums of binary fractions have an error in their last digits. */
function roundCost(dollars: number): number {
  const rounded = Math.round(dollars * 1e9) / 1e9
  return Number.isFinite(rounded) ? rounded : dollars
}

/** Shows how the reply ended. The end of the turn is known only later: the program may try again, or the person has more to say. */
function endReply(ref: ReplyRef, { stopReason, errorMessage }: JsonObject, context: PiContext): void {
  const { conversationId, id, time: timestamp } = ref
  if (stopReason === 'error') {
    const message = asString(errorMessage) ?? 'error'
    context.show(conversationId, { id: errorId(id), type: 'error', status: 'complete', message, timestamp })
    answer(ref, { outcome: 'failed', error: message }, context)
  } else if (stopReason === 'aborted') {
    const note = { subtype: 'interruption', message: 'Interrupted', timestamp }
    context.show(conversationId, { id: interruptionId(id), type: 'system', status: 'complete', ...note })
    answer(ref, { outcome: 'interrupted' }, context)
  } else if (typeof stopReason === 'string' && !UNFINISHED.has(stopReason))
    answer(ref, { outcome: 'finished' }, context)
}

/** The reasons of a reply after which the run goes on. */
const UNFINISHED: ReadonlySet<string> = new Set(['toolUse', 'pending'])

function answer({ conversationId, time }: ReplyRef, { outcome, error }: TurnEnd, context: PiContext): void {
  if (conversationId === MAIN) context.answerTurn({ outcome, error, timestamp: time })
}
