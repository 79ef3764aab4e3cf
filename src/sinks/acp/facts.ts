import { omitUndefined } from '../../core/json/fields.ts'
import { contextTokens } from '../../core/selectors/cost.ts'
import type { ConversationThread, SessionConversationState } from '../../core/state/session.ts'
import type { TodoStatus } from '../../core/state/todo.ts'
import type { SessionUpdatesOptions } from './conversation.ts'
import type { PlanEntry, PlanUpdate, SessionInfoUpdate, UsageUpdate } from './messages.ts'

/** ACP has no status for a cancelled entry. OpenCode's own agent sends it as completed too. */
const PLAN_STATUS: Readonly<Record<TodoStatus, PlanEntry['status']>> = {
  pending: 'pending',
  in_progress: 'in_progress',
  completed: 'completed',
  cancelled: 'completed',
}

/** Returns the plan of a conversation, if it has one. */
export function planOf({ todos }: ConversationThread): readonly PlanUpdate[] {
  if (todos === undefined) return []
  const entries = todos.map(({ text, status }) => ({
    content: text,
    status: PLAN_STATUS[status],
    priority: 'medium' as const,
  }))
  return [{ sessionUpdate: 'plan', entries }]
}

/** Returns the title and the time of the last end, if either is known. */
export function infoOf(
  { turn }: SessionConversationState,
  { title }: SessionUpdatesOptions,
): readonly SessionInfoUpdate[] {
  if (title === undefined && turn.endedAt === undefined) return []
  return [omitUndefined({ sessionUpdate: 'session_info_update', title, updatedAt: turn.endedAt } as const)]
}

/**
 * Returns how full the context is and the cost, if the options or the program name the size of the context. Throws a
 * `RangeError` if the size in the options is no whole number from 1.
 */
export function usageOf(
  state: SessionConversationState,
  { contextWindow }: SessionUpdatesOptions,
): readonly UsageUpdate[] {
  if (contextWindow !== undefined && (!isCount(contextWindow) || contextWindow === 0))
    throw new RangeError(`contextWindow is a whole number from 1, not ${contextWindow}`)
  const size = contextWindow ?? state.session.contextWindow
  const used = contextTokens(state)
  if (!isCount(size) || !isCount(used)) return []
  const { costUsd } = state.session
  const cost = costUsd === undefined ? undefined : ({ amount: costUsd, currency: 'USD' } as const)
  return [omitUndefined({ sessionUpdate: 'usage_update', used, size, cost } as const)]
}

/** The figures of a session are foreign data, and ACP takes whole numbers alone. */
function isCount(value: number | undefined): value is number {
  return value !== undefined && Number.isSafeInteger(value) && value >= 0
}
