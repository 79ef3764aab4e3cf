import type { SessionConversationState } from '../state/session.ts'
import type { TurnStatus } from '../state/turn.ts'

/** The status of main's turn, or `background`: the turn is over, and a subagent still runs. */
export type SessionStatus = TurnStatus | 'background'

/** Returns what the session does now. A subagent that its call only announced does not run yet. */
export function sessionStatus({ turn, subagents }: SessionConversationState): SessionStatus {
  if (turn.status === 'running' || !subagents.some(({ status }) => status === 'running')) return turn.status
  return 'background'
}
