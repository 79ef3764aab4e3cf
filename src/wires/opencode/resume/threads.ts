import { openText } from '../../../session/resume/resumed-turn.ts'
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
  const openTextId = openText(state)?.id
  const main = { sessionId: session.id ?? NO_SESSION, conversationId: MAIN, blocks, usage, openTextId }
  const others = subagents.flatMap((subagent) => {
    const sessionId = sessionIdOf(subagent)
    if (sessionId === undefined) return []
    const { toolUseId, parentConversationId, blocks, usage } = subagent
    return [{ sessionId, conversationId: toolUseId, parentConversationId, blocks, usage, subagent }]
  })
  return [main, ...others]
}

function sessionIdOf(subagent: SubagentState): string | undefined {
  return isStartedByCall(subagent) ? subagent.agentId : subagent.toolUseId
}

/** A subagent without a known call has its session's id as its key, and no second id. */
export function isStartedByCall({ agentId, blocks, usage }: SubagentState): boolean {
  return agentId !== undefined || blocks.length + usage.length === 0
}
