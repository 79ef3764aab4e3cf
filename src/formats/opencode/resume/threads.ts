import {
  type ConversationThread,
  MAIN,
  type SessionConversationState,
  type SubagentState,
} from '../../../state/session.ts'
import { NO_SESSION } from '../routing/session-location.ts'

/** A conversation of a state, with the session that it shows. */
export interface ResumedThread extends ConversationThread {
  readonly sessionId: string
  readonly conversationId: string
  readonly parentConversationId?: string | undefined
  /** The text that goes on, although the end of an input has made it final. */
  readonly openTextId?: string | undefined
  /** The subagent, unless the conversation is main. */
  readonly subagent?: SubagentState
}

/** Returns the conversations whose session the state names. A call whose subagent has not begun names none. */
export function threadsWithSession(state: SessionConversationState): readonly ResumedThread[] {
  const { session, blocks, usage, subagents } = state
  const openTextId = openTextOf(state)
  const main = { sessionId: session.id ?? NO_SESSION, conversationId: MAIN, blocks, usage, openTextId }
  const others = subagents.flatMap((subagent) => {
    const sessionId = sessionIdOf(subagent)
    if (sessionId === undefined) return []
    const { toolUseId, parentConversationId, blocks, usage } = subagent
    return [{ sessionId, conversationId: toolUseId, parentConversationId, blocks, usage, subagent }]
  })
  return [main, ...others]
}

/** The end of an input interrupts main's turn in the middle of the last text. After a person's interruption, a note is the last block. */
function openTextOf({ turn, blocks, usage }: SessionConversationState): string | undefined {
  const last = blocks.findLast((block) => block.type !== 'system' || block.subtype === 'interruption')
  if (turn.status !== 'interrupted' || (last?.type !== 'assistant_text' && last?.type !== 'thinking')) return
  const isFinal = usage.some(({ messageId, final }) => final && messageId === last.messageId)
  return isFinal ? undefined : last.id
}

/** A subagent without a known call has its session's id as its key. */
function sessionIdOf({ agentId, toolUseId, blocks, usage }: SubagentState): string | undefined {
  if (agentId !== undefined) return agentId
  return blocks.length + usage.length > 0 ? toolUseId : undefined
}
