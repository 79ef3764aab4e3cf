import type { BlockStatus } from '../state/block.ts'
import type { SessionConversationState } from '../state/session.ts'
import type { SubagentStatus } from '../state/subagent.ts'
import type { TurnStatus } from '../state/turn.ts'
import { hasPendingRequest } from './requests.ts'

/**
 * The status of main's turn, or what follows from it:
 * - `waiting`: the session runs, and a request of any conversation waits for the person
 * - `background`: the turn has ended by itself, and a subagent still runs
 */
export type SessionStatus = TurnStatus | 'waiting' | 'background'

/**
 * Returns what the session does now. An interrupted turn stays `interrupted`, because nothing may ever report the end
 * of an agent that ran when a session was killed. A subagent that its call only announced does not run yet.
 */
export function sessionStatus(state: SessionConversationState): SessionStatus {
  const { turn, subagents } = state
  if (turn.status === 'interrupted') return turn.status
  const isInBackground = turn.status !== 'running' && subagents.some((agent) => agent.status === 'running')
  if (turn.status !== 'running' && !isInBackground) return turn.status
  if (hasPendingRequest(state)) return 'waiting'
  return isInBackground ? 'background' : turn.status
}

/**
 * A status of a session, an agent or a block that people can see. A call without its result is `running`, and an open
 * request is `waiting`. A call that the person refused is `denied`.
 */
export type ShownStatus = SessionStatus | SubagentStatus | BlockStatus | 'denied'

/** The words of each status. The terminal, the page, a report and Markdown have the same ones. */
export const STATUS_WORDS: Readonly<Record<ShownStatus, string>> = {
  idle: 'idle',
  pending: 'not started',
  running: 'running',
  waiting: 'waiting for you',
  background: 'in the background',
  complete: 'done',
  success: 'done',
  finished: 'done',
  interrupted: 'interrupted',
  error: 'failed',
  failed: 'failed',
  denied: 'denied',
}
