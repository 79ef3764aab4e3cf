import { withChanges } from '../../core/json/fields.ts'
import {
  type CallBlock,
  type ConversationBlock,
  isCall,
  messageIdOf,
  subagentBlockId,
} from '../../core/state/block.ts'
import { MAIN, type SessionConversationState } from '../../core/state/session.ts'
import type { Memory, SessionOutput, TranslationContext } from '../../reading/context.ts'
import type { SessionLookups } from '../../reading/lookups.ts'
import type { NotesOf } from '../../reading/notes/notes.ts'

// Some models, and some servers of models, count the calls of each reply anew. So a later message may use the id of a
// call again.

/** A call as the model names it. */
interface NamedCall {
  readonly conversationId: string
  readonly messageId: string
  readonly callId: string
  /** The call starts an agent. Its id names a conversation of the session. */
  readonly isAgent?: boolean
}

/** A note, `renamedCalls`: by conversation and the model's id, the last call with an id that an earlier message has used. */
export const RENAMED_CALLS = { mapOf: 'string' } as const

type Context = TranslationContext<NotesOf<{ readonly renamedCalls: typeof RENAMED_CALLS }>>

/**
 * Returns the id of a call in the state. A call whose id an earlier message, or an agent of the session, has used has
 * the id of its message behind it.
 */
function idOfCall({ conversationId, messageId, callId }: NamedCall, state: SessionLookups): string {
  const { parentConversationId } = state.agentOfCall(callId) ?? {}
  const known = blockOfCall(conversationId, callId, state) ?? blockOfCall(parentConversationId, callId, state)
  const ofOther = known && messageIdOf(known)
  return ofOther === undefined || ofOther === messageId ? callId : `${callId}@${messageId}`
}

/** Whether the message has a call with that id of the model. */
export function hasCall(
  { conversationId, messageId, callId }: Omit<NamedCall, 'isAgent'>,
  state: SessionLookups,
): boolean {
  return [callId, `${callId}@${messageId}`].some((id) => {
    const block = state.findBlock(conversationId, id) ?? state.findAgentBlock(conversationId, id)
    return block !== undefined && isCall(block) && block.messageId === messageId
  })
}

/** Returns the block of a call, on an abandoned branch too. */
function blockOfCall(
  conversationId: string | undefined,
  callId: string,
  state: SessionLookups,
): ConversationBlock | undefined {
  if (conversationId === undefined) return undefined
  const block = state.findBlock(conversationId, callId) ?? state.findAgentBlock(conversationId, callId)
  if (block || conversationId !== MAIN || state.branches.length === 0) return block
  const id = [callId, subagentBlockId(callId)].find((each) => state.isAbandoned(each))
  const blocks = id ? state.branches.flatMap((branch) => branch.blocks) : []
  return blocks.find((each) => each.id === id)
}

/** The calls of agents have one list, because their ids are unique within the session. */
const AGENTS = ''

/** Names the call of a message in the state. A later message with the model's id is about that call. */
export function placeCall(call: NamedCall, context: Context): string {
  const id = idOfCall(call, context.state)
  noteCall(call, id, context.notes)
  if (id !== call.callId) claimRequests(call, id, context)
  return id
}

/** Some files have the request for a call before the call. So a request after the last call with the id is about the next one. */
function claimRequests({ conversationId, callId }: NamedCall, id: string, output: SessionOutput): void {
  const isAsked = (block: ConversationBlock) =>
    block.type === 'request' && block.toolUseId !== undefined && isNamed(block.toolUseId, callId)
  // Most calls have no request, and a conversation has many blocks.
  if (!hasAny(output.state.typeFromEnd(conversationId, 'request'), isAsked)) return
  const blocks = output.state.blocksOf(conversationId)
  const isOfEarlier = (block: ConversationBlock) =>
    (isCall(block) || block.type === 'tool_result') && isNamed(block.toolUseId, callId)
  const later = blocks.slice(blocks.findLastIndex(isOfEarlier) + 1)
  for (const block of later)
    if (block.type === 'request' && isAsked(block))
      output.upsert(conversationId, withChanges(block, { toolUseId: id }))
}

function noteCall({ conversationId, callId, isAgent }: NamedCall, id: string, notes: Context['notes']): void {
  if (id === callId && notes.values.renamedCalls.isEmpty) return
  for (const place of isAgent ? [conversationId, AGENTS] : [conversationId]) {
    const key = notes.keyOf(place, callId)
    if (id !== callId || notes.values.renamedCalls.get(key) !== undefined)
      notes.setEntry('renamedCalls', key, id)
  }
}

/**
 * Returns the id in the state of the last call with that id of the model. A message that is older than the call is
 * about a call before it.
 */
export function callOf(
  conversationId: string,
  callId: string,
  memory: Memory<Context>,
  time?: string,
): string {
  return lastUntil(conversationId, callId, () => memory.state.blocksOf(conversationId), memory.notes, time)
}

/** A message about an agent. The source may know the agent by another id. */
interface AgentMessage {
  readonly known?: string | undefined
  readonly time?: string | undefined
}

/** Returns the `toolUseId` of the known agent, if its call has that id of the model, or else of the last such agent. */
export function agentOfId(callId: string, { known, time }: AgentMessage, memory: Memory<Context>): string {
  if (known !== undefined && isNamed(known, callId)) return known
  const calls = () =>
    memory.state
      .agents()
      .flatMap(
        ({ toolUseId, parentConversationId = MAIN }) =>
          memory.state.findBlock(parentConversationId, subagentBlockId(toolUseId)) ?? [],
      )
  return lastUntil(AGENTS, callId, calls, memory.notes, time)
}

/** Whether the model may have given that id to a call of the state. */
export function isNamed(toolUseId: string, callId: string): boolean {
  return toolUseId === callId || toolUseId.startsWith(`${callId}@`)
}

function lastUntil(
  place: string,
  callId: string,
  blocks: () => readonly ConversationBlock[],
  notes: Context['notes'],
  time: string | undefined,
): string {
  if (notes.values.renamedCalls.isEmpty) return callId
  const last = notes.values.renamedCalls.get(notes.keyOf(place, callId))
  if (last === undefined || time === undefined) return last ?? callId
  const hasBegun = (block: ConversationBlock): block is CallBlock =>
    isWholeCall(block) && modelIdOf(block) === callId && (block.timestamp ?? '') <= time
  return blocks().findLast(hasBegun)?.toolUseId ?? last
}

/** Whether the block is a call whose input does not stream any more. Before that, nothing is about the call. */
function isWholeCall(block: ConversationBlock): block is CallBlock {
  if (!isCall(block) || block.inputText !== undefined) return false
  return block.type === 'tool_use' || block.status !== 'pending' || block.input !== ''
}

/** Returns the id that the model gave the call. */
function modelIdOf({ toolUseId, messageId = '' }: CallBlock): string {
  const suffix = `@${messageId}`
  return suffix.length > 1 && toolUseId.length > suffix.length && toolUseId.endsWith(suffix)
    ? toolUseId.slice(0, -suffix.length)
    : toolUseId
}

/** Notes the last calls with ids that the state has more than once. */
export function noteReusedIds(
  { blocks, subagents }: SessionConversationState,
  notes: Context['notes'],
): void {
  for (const block of [{ blocks }, ...subagents].flatMap((thread) => thread.blocks)) {
    if (!isCall(block)) continue
    const { conversationId, messageId = '', toolUseId, type } = block
    const call = { conversationId, messageId, callId: modelIdOf(block), isAgent: type === 'subagent' }
    noteCall(call, toolUseId, notes)
  }
}

/**
 * Returns the first number from 0 on that is not taken, if all lower ones are taken. It asks for few of them, because
 * there may be thousands: blocks without an id of their own are numbered by their place.
 */
export function freeNumber(isTaken: (number: number) => boolean): number {
  let free = 0
  let step = 1
  for (; isTaken(free + step - 1); step *= 2) free += step
  for (; step >= 1; step /= 2) if (isTaken(free + step - 1)) free += step
  return free
}

/** Whether a block passes a test. It takes no more of them than it needs. */
function hasAny(
  blocks: Iterable<ConversationBlock>,
  isWanted: (block: ConversationBlock) => boolean,
): boolean {
  for (const block of blocks) if (isWanted(block)) return true
  return false
}
