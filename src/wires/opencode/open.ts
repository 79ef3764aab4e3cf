import { type ConversationBlock, isInterruption, isModelText, messageIdOf } from '../../core/state/block.ts'
import { numberOfId } from '../../core/state/numbered-id.ts'
import {
  type ConversationThread,
  MAIN,
  type SessionConversationState,
  type SubagentState,
} from '../../core/state/session.ts'
import { errorBlockId } from '../../programs/opencode/tool-result.ts'
import type { Memory } from '../../reading/context.ts'
import type { SessionLookups } from '../../reading/lookups.ts'
import { PersistentMap } from '../../reading/notes/persistent-map.ts'
import { NO_PLACE } from '../kit/resumed-text.ts'
import { nanoDollarsOf } from './blocks/usage.ts'
import type { OpencodeContext } from './context.ts'
import { modelOfMessage, noteMessage } from './messages.ts'
import { type MessageRef, mainSession, NO_SESSION, noteSession, type SessionPlace } from './place.ts'
import { revertMessageIn } from './removal/revert.ts'
import { isUnlinked } from './turn.ts'

/** A conversation of a state, with the session that it shows. */
type Thread = ConversationThread & SessionPlace & Pick<SubagentState, 'parentConversationId'>

/**
 * Makes the notes that are needed to go on from a state. A state does not hold the ids of calls' parts, the removed
 * parts, and each session's share of the cost. If there are several sessions, new steps add to the total.
 */
export function open(state: SessionConversationState, context: OpencodeContext): void {
  const { session, blocks, usage, turn } = state
  const main = { sessionId: session.id ?? NO_SESSION, conversationId: MAIN, blocks, usage }
  const threads: readonly Thread[] = [main, ...state.subagents.flatMap(threadOf)]
  if (session.id === undefined && threads.every((each) => each.blocks.length + each.usage.length === 0))
    return
  context.notes.remember({ isReopened: true, ...(session.id === undefined && { hasUnnamedMain: true }) })
  const cost = { nanoDollars: nanoDollarsOf(session.costUsd ?? 0) }
  for (const thread of threads) {
    noteSession(thread.sessionId, threads.length > 1 ? { sharesCost: true } : cost, context.notes)
    openThread(thread, context)
  }
  // An error has ended the work of main's turn, and the session is not idle yet. The error decides how the turn ends.
  const last = turn.status === 'running' ? lastOfTurn(blocks) : undefined
  if (last?.type === 'system') context.turn.answer({ outcome: 'interrupted' })
  if (last?.type === 'error') context.turn.answer({ outcome: 'failed', error: last.message })
}

/** Returns the conversation of an agent. One without a known call has its session's id as its key, and an announced one has no session. */
function threadOf(agent: SubagentState): readonly Thread[] {
  const { toolUseId: conversationId, agentId } = agent
  const isAnnounced = agentId === undefined && agent.blocks.length + agent.usage.length === 0
  return isAnnounced ? [] : [{ ...agent, conversationId, sessionId: agentId ?? conversationId }]
}

function openThread(thread: Thread, memory: Memory<OpencodeContext>): void {
  const { sessionId, conversationId, blocks, usage } = thread
  const shown = new Set(blocks.flatMap((block) => messageIdOf(block) ?? []))
  const last = blocks.map(messageIdOf).findLast((id) => id !== undefined)
  // The facts name the model of main's last message, although that message may have no block yet.
  const refOf = (messageId: string): MessageRef => ({ sessionId, conversationId, messageId })
  const ownModel = last === undefined ? undefined : modelOfMessage(refOf(last), memory)
  const missedModel = conversationId === MAIN ? memory.state.facts.model : ownModel
  noteSession(sessionId, { newestMessage: last, missedModel }, memory.notes)
  if (isUnlinked(thread)) openUnlinked(thread, memory)
  for (const id of shown) openMessage(refOf(id), { isLast: id === last }, memory)
  // Its tokens alone show a later message.
  for (const { messageId } of usage)
    if (!shown.has(messageId)) openMessage(refOf(messageId), { isLast: true }, memory)
  for (const block of blocks) openBlock(thread, block, memory.notes)
}

/** An agent whose parent is not known belongs to the tree of main. */
function openUnlinked(thread: Thread, memory: Memory<OpencodeContext>): void {
  const parentId = thread.parentConversationId === undefined ? mainSession(memory) : undefined
  noteSession(thread.sessionId, { parentId, turn: turnOf(thread) }, memory.notes)
}

/** Returns the turn that the blocks of a conversation lead to. */
function turnOf({ blocks }: Thread): 'running' | 'answered' | 'failed' {
  const last = lastOfTurn(blocks)
  if (last?.type === 'error' || last?.type === 'system') return 'failed'
  if (last?.type === 'user_message') return last.origin === 'summary' ? 'answered' : 'running'
  return last?.type === 'assistant_text' && last.status !== 'pending' ? 'answered' : 'running'
}

/** Notes a message that is not complete, or whose role nothing shows: a text alone may be a prompt whose own event was missed. */
function openMessage(
  ref: MessageRef,
  { isLast }: { readonly isLast: boolean },
  memory: Memory<OpencodeContext>,
): void {
  const { sessionId, conversationId, messageId } = ref
  const usage = memory.state.usageOf(conversationId, messageId)
  const error = memory.state.findBlock(conversationId, errorBlockId(messageId))
  const isOpen = isLast && usage?.final !== true && error?.timestamp === undefined
  const blocks = memory.state.blocksOfMessage(conversationId, messageId)
  const isReported = usage !== undefined || blocks.some((block) => isOfModel(block, memory.state))
  const model =
    modelOfMessage(ref, memory) ??
    (isLast ? memory.notes.values.sessions.get(sessionId)?.missedModel : undefined)
  if (isOpen) noteSession(sessionId, { openMessage: messageId }, memory.notes)
  if (!isReported) noteMessage(ref, { isUnreported: true, model }, memory)
  else if (isOpen) noteMessage(ref, { isOpen, model }, memory)
}

/** Whether only the model writes such a block. */
function isOfModel(block: ConversationBlock, state: SessionLookups): boolean {
  if (block.type !== 'assistant_text' || block.model !== undefined) return true
  return state.isOpen(block.conversationId, block.id)
}

function openBlock({ sessionId }: Thread, block: ConversationBlock, notes: OpencodeContext['notes']): void {
  const { id, type } = block
  const next = (numberOfId(id) ?? -1) + 1
  if (next > (notes.values.eventsWithoutId ?? 0)) notes.remember({ eventsWithoutId: next })
  const revertMessage = revertMessageIn(block)
  if (revertMessage !== undefined) noteSession(sessionId, { revertMessage }, notes)
  const isWords = isModelText(block) || (type === 'user_message' && block.origin === 'summary')
  // An empty text may still grow: an export holds no text before it is complete.
  if (!isWords || (block.status !== 'pending' && block.content !== '')) return
  // Repeated events may build the text again.
  const key = notes.keyOf(sessionId, id)
  notes.setEntry('textPlaces', key, NO_PLACE)
  notes.setEntry('partEvents', key, new PersistentMap())
}

/** Returns the last block that is no note or request of the program. A person's interruption counts: nothing goes on after it. */
function lastOfTurn(blocks: readonly ConversationBlock[]): ConversationBlock | undefined {
  return blocks.findLast(
    (block) => isInterruption(block) || (block.type !== 'system' && block.type !== 'request'),
  )
}
