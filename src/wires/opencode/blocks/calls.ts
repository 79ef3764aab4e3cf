import { isoTime } from '../../../core/json/iso-time.ts'
import { compositeKey } from '../../../core/json/lists.ts'
import { asObject, asString, type JsonObject } from '../../../core/json/values.ts'
import { type CallBlock, isCall, subagentBlockId, toolResultBlockId } from '../../../core/state/block.ts'
import { opencode } from '../../../programs/opencode/program.ts'
import type { Memory } from '../../../reading/context.ts'
import type { SessionLookups } from '../../../reading/lookups.ts'
import type { OpencodeContext } from '../context.ts'
import type { MessageRef, PartUpdate } from '../place.ts'

/** The block of a call. A call that starts an agent has that of the agent. */

/** Whether the part is a call that starts or resumes a subagent. */
export function isTask({ tool }: JsonObject): boolean {
  return opencode.tools.agent.includes(asString(tool) ?? '')
}

/** Returns the block of a call in a conversation. */
function findCall(conversationId: string, toolUseId: string, state: SessionLookups): CallBlock | undefined {
  const block =
    state.findBlock(conversationId, toolUseId) ?? state.findBlock(conversationId, subagentBlockId(toolUseId))
  return isCall(block) ? block : undefined
}

/** Whether the part has the call with the model's id. */
export function ownsCall(
  { sessionId }: MessageRef,
  callId: unknown,
  partId: string,
  notes: OpencodeContext['notes'],
): boolean {
  if (typeof callId !== 'string') return false
  return notes.values.callParts.get(notes.keyOf(sessionId, callId)) === partId
}

/** Returns the call that a part has become in its message. */
export function callOfPart(
  ref: MessageRef,
  partId: string,
  memory: Memory<OpencodeContext>,
): CallBlock | undefined {
  for (const block of memory.state.blocksOfMessage(ref.conversationId, ref.messageId)) {
    if (block.type !== 'tool_use' && block.type !== 'subagent') continue
    if (block.toolUseId === partId || ownsCall(ref, block.toolUseId, partId, memory.notes)) return block
  }
  return undefined
}

/**
 * Returns the model's id of a call. If that id is missing, or belongs to another part, the part's id replaces it.
 * Some models use an id twice.
 */
export function toolUseIdOf(ref: MessageRef, update: PartUpdate, memory: Memory<OpencodeContext>): string {
  const { part, id: partId } = update
  const { callID: callId } = part
  if (typeof callId !== 'string') return partId
  const { sessionId, messageId } = ref
  const key = memory.notes.keyOf(sessionId, callId)
  const owner = memory.notes.values.callParts.get(key)
  if (owner === partId) return callId
  const isFree = owner === undefined && mayTake(ref, update, callId, memory.state)
  const ownKey = isFree ? key : compositeKey(sessionId, messageId, callId)
  if (memory.notes.values.callParts.get(ownKey) !== partId) memory.notes.setEntry('callParts', ownKey, partId)
  return isFree ? callId : partId
}

/**
 * Whether a part may take a call's id that no known part has. In an opened state the block of the call has no part
 * yet. A subagent's id is unique in the whole input.
 */
function mayTake(ref: MessageRef, { part, id }: PartUpdate, callId: string, state: SessionLookups): boolean {
  const block = findCall(ref.conversationId, callId, state)
  if (block) return isSameCall(block, ref, part, state) && !findCall(ref.conversationId, id, state)
  return !isTask(part) || state.agentOfCall(callId) === undefined
}

/**
 * Whether the block shows the call of a part. A message may have a second call of a tool with the same id, which
 * begins after the end of the first. OpenCode moves the start of a call: when the person has allowed it, and in some
 * versions with each output.
 */
function isSameCall(block: CallBlock, ref: MessageRef, part: JsonObject, state: SessionLookups): boolean {
  const start = startOf(part)
  const { conversationId, toolUseId } = block
  const end = state.findBlock(conversationId, toolResultBlockId(toolUseId))?.timestamp ?? block.timestamp
  const isSecond = start !== undefined && end !== undefined && start > end
  const mayBeSecond = block.type === 'tool_use' && isSecond && isOver(block, state)
  return block.messageId === ref.messageId && !mayBeSecond
}

function isOver({ type, toolUseId, conversationId }: CallBlock, state: SessionLookups): boolean {
  return type === 'subagent' ? state.hasEnded(toolUseId) : !state.isOpen(conversationId, toolUseId)
}

function startOf({ state }: JsonObject): string | undefined {
  return isoTime(asObject(asObject(state).time).start)
}

/**
 * Whether an update of a call repeats what an opened state shows as final. The first update has no time, so the next
 * one tells whether it is a second call with the same id.
 */
export function repeatsCall(ref: MessageRef, { part }: PartUpdate, memory: Memory<OpencodeContext>): boolean {
  const { status } = asObject(part.state)
  if (!memory.notes.values.isReopened || (status !== 'pending' && status !== 'running')) return false
  const callId = asString(part.callID) ?? ''
  if (memory.notes.values.callParts.get(memory.notes.keyOf(ref.sessionId, callId)) !== undefined) return false
  const block = findCall(ref.conversationId, callId, memory.state)
  return block !== undefined && isOver(block, memory.state) && isSameCall(block, ref, part, memory.state)
}
