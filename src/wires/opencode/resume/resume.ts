import { lastOfTurn } from '../../../session/resume/resumed-turn.ts'
import type { SessionConversationState } from '../../../state/session.ts'
import { nanoDollarsOf } from '../blocks/cost.ts'
import type { OpencodeContext } from '../context.ts'
import { NO_SESSION } from '../routing/session-location.ts'
import { resumeBlock } from './blocks.ts'
import { resumeMessages } from './messages.ts'
import { resumeSession } from './sessions.ts'
import { resumeTasks } from './tasks.ts'
import { type ResumedThread, threadsWithSession } from './threads.ts'

/**
 * Returns a memory that goes on from a state alone. It has all that a state holds: the sessions and their places, roles, messages,
 * parts, calls, tasks, errors and cost. A state does not hold:
 * - removed parts and messages. Events that repeat them show them again, until their removal is repeated too.
 * - the part ids of calls. The call's id finds the part again; only the removal of such a part alone has no effect before.
 * - each session's share of the cost. If there are several sessions, new steps add to the total.
 */
export function resume(state: SessionConversationState, context: OpencodeContext): void {
  const { session, blocks, usage, subagents } = state
  context.remember({ nanoDollars: nanoDollarsOf(session.costUsd ?? 0) })
  if (session.id === undefined && blocks.length + usage.length + subagents.length === 0) return
  context.remember({ mainSessionId: session.id ?? NO_SESSION })
  const threads = threadsWithSession(state)
  for (const thread of threads) resumeThread(thread, threads, context)
  resumeTasks(state, context)
  resumeFailure(state, context)
}

function resumeThread(
  thread: ResumedThread,
  threads: readonly ResumedThread[],
  context: OpencodeContext,
): void {
  resumeSession(thread, threads, context)
  resumeMessages(thread, context)
  for (const block of thread.blocks) resumeBlock(block, thread, context)
}

/** An error has ended the work of main's turn, and the session is not idle yet. The error decides how the turn ends. */
function resumeFailure({ turn, blocks }: SessionConversationState, context: OpencodeContext): void {
  if (turn.status !== 'running') return
  const last = lastOfTurn(blocks)
  if (last?.type === 'system') context.answerTurn({ outcome: 'interrupted' })
  if (last?.type === 'error') context.answerTurn({ outcome: 'failed', error: last.message })
}
