import type { BlockStatus, ConversationBlock } from '../state/block.ts'
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

/** Every status of a session. */
export const SESSION_STATUSES = [
  'idle',
  'running',
  'waiting',
  'background',
  'finished',
  'interrupted',
  'failed',
] as const satisfies readonly SessionStatus[]

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

/** The work that a conversation does now, or did last. */
interface DoneWork {
  readonly block: ConversationBlock
  /** The start of the work, if it is not known to be over. ISO 8601. */
  readonly since: string | undefined
}

/**
 * Returns the last call or agent that runs, or else the last call or text. An agent that is done says nothing. Undefined
 * if there is nothing of that kind.
 */
export function doingIn(blocks: readonly ConversationBlock[]): DoneWork | undefined {
  const block = blocks.findLast(isRunning) ?? blocks.findLast(isCallOrText)
  const goesOn = block && (isRunning(block) || (isText(block) && block === blocks.at(-1)))
  return block && { block, since: goesOn ? block.timestamp : undefined }
}

function isRunning(block: ConversationBlock): boolean {
  return block.status === 'running' || (block.status === 'pending' && isCallOrText(block))
}

function isCallOrText(block: ConversationBlock): boolean {
  return block.type === 'tool_use' || isText(block)
}

function isText({ type }: ConversationBlock): boolean {
  return type === 'assistant_text' || type === 'thinking'
}
