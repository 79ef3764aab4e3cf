import type { SessionConversationState } from '../state/session.ts'
import type { TurnStatus } from '../state/turn.ts'

/** The status of main's turn, or `background`: the turn has ended by itself, and a subagent still runs. */
export type SessionStatus = TurnStatus | 'background'

/**
 * Returns what the session does now. An interrupted turn stays `interrupted`, because nothing may ever report the end of an agent that
 * ran when a session was killed. A subagent that its call only announced does not run yet.
 */
export function sessionStatus({ turn: { status }, subagents }: SessionConversationState): SessionStatus {
  if (status === 'running' || status === 'interrupted') return status
  return subagents.some((agent) => agent.status === 'running') ? 'background' : status
}
