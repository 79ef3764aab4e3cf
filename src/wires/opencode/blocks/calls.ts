import { compositeKey } from '../../../core/json/lists.ts'
import { asObject, asString, type JsonObject } from '../../../core/json/values.ts'
import { type CallBlock, isCall, subagentBlockId, toolResultBlockId } from '../../../core/state/block.ts'
import { opencode } from '../../../programs/opencode/program.ts'
import { isoTime } from '../../kit/time.ts'
import type { OpencodeContext } from '../context.ts'
import type { MessageRef, PartUpdate } from '../place.ts'

/** The block of a call. A call that starts an agent has that of the agent. */

/** Whether the part is a call that starts or resumes a subagent. */
export function isTask({ tool }: JsonObject): boolean {
  return opencode.tools.agent.includes(asString(tool) ?? '')
}

/** Returns the block of a call in a conversation. */
function findCall(
  conversationId: string,
  toolUseId: string,
  context: OpencodeContext,
): CallBlock | undefined {
  const block =
    context.state.findBlock(conversationId, toolUseId) ??
    context.state.findBlock(conversationId, subagentBlockId(toolUseId))
  return isCall(block) ? block : undefined
}

/** Whether the call has its result. An idle session finalizes a call whose end may still follow. */
export function hasResult(conversationId: string, toolUseId: string, context: OpencodeContext): boolean {
  const resultId = toolResultBlockId(toolUseId)
  return (
    context.state.findBlock(conversationId, resultId) !== undefined &&
    !context.state.isOpen(conversationId, resultId)
  )
}

/** Whether the part has the call with the model's id. */
export function ownsCall(
  { sessionId }: MessageRef,
  callId: unknown,
  partId: string,
  context: OpencodeContext,
): boolean {
  if (typeof callId !== 'string') return false
  return context.notes.values.callParts.get(context.notes.keyOf(sessionId, callId)) === partId
}

/** Returns the call that a part has become in its message. */
export function callOfPart(ref: MessageRef, partId: string, context: OpencodeContext): CallBlock | undefined {
  for (const block of context.state.blocksOfMessage(ref.conversationId, ref.messageId)) {
    if (block.type !== 'tool_use' && block.type !== 'subagent') continue
    if (block.toolUseId === partId || ownsCall(ref, block.toolUseId, partId, context)) return block
  }
  return undefined
}

/**
 * Returns the model's id of a call. If that id is missing, or belongs to another part, the part's id replaces it.
 * Some models use an id twice.
 */
export function toolUseIdOf(ref: MessageRef, update: PartUpdate, context: OpencodeContext): string {
  const { part, id: partId } = update
  const { callID: callId } = part
  if (typeof callId !== 'string') return partId
  const { sessionId, messageId } = ref
  const key = context.notes.keyOf(sessionId, callId)
  const owner = context.notes.values.callParts.get(key)
  if (owner === partId) return callId
  const isFree = owner === undefined && mayTake(ref, update, callId, context)
  const ownKey = isFree ? key : compositeKey(sessionId, messageId, callId)
  if (context.notes.values.callParts.get(ownKey) !== partId)
    context.notes.setEntry('callParts', ownKey, partId)
  return isFree ? callId : partId
}

/**
 * Whether a part may take a call's id that no known part has. In an opened state the block of the call has no part
 * yet. A subagent's id is unique in the whole input.
 */
function mayTake(
  ref: MessageRef,
  { part, id }: PartUpdate,
  callId: string,
  context: OpencodeContext,
): boolean {
  const block = findCall(ref.conversationId, callId, context)
  if (block) return isSameCall(block, ref, part, context) && !findCall(ref.conversationId, id, context)
  return !isTask(part) || context.state.agentOfCall(callId) === undefined
}

/**
 * Whether the block shows the call of a part. A message may have a second call of a tool with the same id, which
 * begins after the end of the first. OpenCode moves the start of a call: when the person has allowed it, and in some
 * versions with each output.
 */
function isSameCall(block: CallBlock, ref: MessageRef, part: JsonObject, context: OpencodeContext): boolean {
  const start = startOf(part)
  const { conversationId, toolUseId } = block
  const end =
    context.state.findBlock(conversationId, toolResultBlockId(toolUseId))?.timestamp ?? block.timestamp
  const isSecond = start !== undefined && end !== undefined && start > end
  const mayBeSecond = block.type === 'tool_use' && isSecond && isOver(block, context)
  return block.messageId === ref.messageId && !mayBeSecond
}

function isOver({ type, toolUseId, conversationId }: CallBlock, context: OpencodeContext): boolean {
  return type === 'subagent'
    ? context.state.hasEnded(toolUseId)
    : !context.state.isOpen(conversationId, toolUseId)
}

function startOf({ state }: JsonObject): string | undefined {
  return isoTime(asObject(asObject(state).time).start)
}

/**
 * Whether an update of a call repeats what an opened state shows as final. The first update has no time, so the next
 * one tells whether it is a second call with the same id.
 */
export function repeatsCall(ref: MessageRef, { part }: PartUpdate, context: OpencodeContext): boolean {
  const { status } = asObject(part.state)
  if (!context.notes.values.isReopened || (status !== 'pending' && status !== 'running')) return false
  const callId = asString(part.callID) ?? ''
  if (context.notes.values.callParts.get(context.notes.keyOf(ref.sessionId, callId)) !== undefined)
    return false
  const block = findCall(ref.conversationId, callId, context)
  return block !== undefined && isOver(block, context) && isSameCall(block, ref, part, context)
}
