import { isEqual } from '../../../core/json/equal.ts'
import { omitUndefined } from '../../../core/json/fields.ts'
import {
  asArray,
  asObject,
  asString,
  assertNever,
  isObject,
  type JsonObject,
  parseJson,
} from '../../../core/json/values.ts'
import { subagentBlockId, toolResultBlockId } from '../../../core/state/block.ts'
import type { SessionOutput } from '../../../reading/context.ts'
import { typeName } from '../../../reading/context.ts'
import { addCallFacts, announceAgent, announcedBlock, callFacts } from '../agents/agent-call.ts'
import type { AgUiContext, AgUiMemory, ShownBlock } from '../context.ts'
import type { Place } from '../ids.ts'
import { showActivity } from './activity.ts'
import { isAgentCall, newCall, showResult, withInput } from './call.ts'
import { type CallResult, readContent, readResult } from './content.ts'
import { goOnAt, isStreaming, type TextKind, textBlock } from './text.ts'

/** A part of a whole message. Each is a block, except the result of an agent's call. */
export type MessagePart =
  | { readonly kind: TextKind; readonly place: Place; readonly message: JsonObject }
  | {
      readonly kind: 'call'
      readonly place: Place
      readonly name: string
      readonly args: string
      readonly messageId: string
    }
  | { readonly kind: 'result'; readonly place: Place; readonly result: CallResult }
  | {
      readonly kind: 'activity'
      readonly place: Place
      readonly activityType: string
      readonly content: JsonObject
    }

/** Returns the parts of a message: its text, and its calls. */
export function partsOf(message: JsonObject, context: AgUiContext): readonly MessagePart[] {
  const messageId = asString(message.id)
  if (messageId === undefined) return reportPart(message, context)
  const place = context.placeOf(message, 'message', messageId)
  switch (message.role) {
    case 'user':
    case 'system':
    case 'developer':
      return [{ kind: 'text', place, message }]
    case 'reasoning':
      return [{ kind: 'thinking', place, message }]
    case 'assistant': {
      const calls = asArray(message.toolCalls).flatMap((call) =>
        callOf(asObject(call), message, place.id, context),
      )
      const { content } = message
      const hasText = typeof content === 'string' && (content !== '' || calls.length === 0)
      return hasText ? [{ kind: 'text', place, message }, ...calls] : calls
    }
    case 'tool':
      return resultOf(message, context)
    case 'activity': {
      const { activityType, content } = message
      return typeof activityType === 'string' && isObject(content)
        ? [{ kind: 'activity', place, activityType, content }]
        : reportPart(message, context)
    }
    default:
      return reportPart(message, context)
  }
}

function reportPart({ role }: JsonObject, output: SessionOutput): readonly MessagePart[] {
  output.reportUnknown('unknown-block', typeName(role))
  return []
}

function callOf(
  call: JsonObject,
  message: JsonObject,
  messageId: string,
  context: AgUiContext,
): readonly MessagePart[] {
  const callId = asString(call.id)
  const { name, arguments: args } = asObject(call.function)
  if (callId === undefined || typeof name !== 'string') return reportPart({ role: 'tool_call' }, context)
  const place = context.placeOf(message, 'call', callId)
  return [{ kind: 'call', place, name, args: asString(args) ?? '', messageId }]
}

function resultOf(message: JsonObject, context: AgUiContext): readonly MessagePart[] {
  const callId = asString(message.toolCallId)
  if (callId === undefined) return reportPart(message, context)
  return [{ kind: 'result', place: context.placeOf(message, 'call', callId), result: readResult(message) }]
}

/** Returns the place of the block that a part is. The result of an agent's call is no block. */
export function blockPlace(part: MessagePart, memory: AgUiMemory): Place | undefined {
  const { place, kind } = part
  const { conversationId, id } = place
  if (kind === 'result') {
    const isOutput = memory.state.agentOfCall(id)?.parentConversationId === conversationId
    return isOutput ? undefined : memory.slotOf({ conversationId, id: toolResultBlockId(id) }, 'result')
  }
  if (kind === 'call' && isAgentCall(place, part.name, memory.state))
    return { conversationId, id: subagentBlockId(id) }
  return memory.slotOf(place, kind)
}

/** Adds the parts of a message that are not known yet. */
export function addMessage(message: JsonObject, context: AgUiContext): void {
  for (const part of partsOf(message, context)) if (!isKnown(part, context)) showPart(part, context)
}

function isKnown(part: MessagePart, memory: AgUiMemory): boolean {
  const agent = part.kind === 'call' ? memory.state.agentOfCall(part.place.id) : undefined
  if (agent) return agent.prompt !== undefined || announcedBlock(agent, memory.state) !== undefined
  const place = blockPlace(part, memory)
  return place !== undefined && memory.state.findBlock(place.conversationId, place.id) !== undefined
}

/** Shows a part of a message as a whole. A known block gets the content, and keeps its status. */
export function showPart(part: MessagePart, context: AgUiContext): void {
  switch (part.kind) {
    case 'text':
    case 'thinking':
      return showText(part.place, part.kind, part.message, context)
    case 'call':
      return isAgentCall(part.place, part.name, context.state)
        ? showAgentCall(part, context)
        : showCall(part, context)
    case 'result':
      return showResult(part.place, part.result, context)
    case 'activity':
      return showActivity(
        part.place,
        part.activityType,
        { content: part.content, timestamp: undefined },
        context,
      )
    default:
      assertNever(part)
  }
}

function showText(place: Place, kind: TextKind, message: JsonObject, context: AgUiContext): void {
  const known = context.find(place, kind)
  const slot = context.slotOf(place, kind)
  const made = textBlock(slot, kind, { role: message.role, metadata: message.metadata, messageId: place.id })
  const isOpen = known && isStreaming(known, context)
  const base = omitUndefined({
    status: isOpen ? known.status : 'complete',
    timestamp: known?.timestamp,
  } as const)
  const text = asString(message.content) ?? ''
  const block: ShownBlock =
    made.type === 'user_message'
      ? { ...made, ...base, content: made.origin ? text : readContent(message.content, context) }
      : { ...made, ...base, content: text }
  refresh(block, context)
  if (isOpen) goOnAt(block, text.length, context)
}

/** A block that comes again as it is known neither ends nor goes on. */
function refresh(block: ShownBlock, context: AgUiContext): void {
  if (!isEqual(context.state.findBlock(block.conversationId, block.id), block)) context.show(block)
}

type CallPart = Extract<MessagePart, { readonly kind: 'call' }>

function showCall({ place, name: toolName, args, messageId }: CallPart, context: AgUiContext): void {
  const known = context.find(place, 'call')
  if (!known) context.noteWork()
  const call = known
    ? { ...known, toolName }
    : newCall(place, { toolName, messageId, timestamp: undefined }, context)
  if (known?.inputText !== undefined && isStreaming(known, context)) {
    refresh({ ...call, inputText: args }, context)
    return goOnAt(call, args.length, context)
  }
  refresh(withInput(call, args), context)
}

function showAgentCall({ place, args }: CallPart, context: AgUiContext): void {
  if (context.state.agentOfCall(place.id)?.parentConversationId === undefined)
    announceAgent(place, undefined, context)
  const agent = context.state.agentOfCall(place.id)
  if (!agent) return
  const facts = callFacts(parseJson(args))
  if (facts) return addCallFacts(agent, facts, context)
  const announced = announcedBlock(agent, context.state)
  if (announced) context.upsert(announced.conversationId, { ...announced, inputText: args })
}
