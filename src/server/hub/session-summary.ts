import { omitUndefined } from '../../core/json/fields.ts'
import { compareStrings, timeInMs } from '../../core/json/lists.ts'
import { failureReason } from '../../core/selectors/failure.ts'
import { type PendingRequest, pendingRequests } from '../../core/selectors/requests.ts'
import { sessionTitle } from '../../core/selectors/session-title.ts'
import { type SessionStatus, sessionStatus } from '../../core/selectors/status.ts'
import { lastText } from '../../core/state/block.ts'
import type { ConversationThread, SessionConversationState, SessionFacts } from '../../core/state/session.ts'

/** A session of a hub in a list. */
export interface HubSessionSummary {
  readonly id: string
  readonly status: SessionStatus
  /** The title of the session, or else the first line of the first prompt. */
  readonly title?: string
  readonly facts: SessionFacts
  /** The number of its subagents at any depth. */
  readonly agents: number
  /** The number of subagents that run. Absent if none does. */
  readonly running?: number
  /** The number of subagents that failed. Absent if none did. */
  readonly failed?: number
  /** The first request that waits for the person, without its `data`. */
  readonly request?: PendingRequest
  /** The last text of main, at most 500 UTF-16 units. */
  readonly lastText?: string
  /** The reason of a turn that failed. */
  readonly error?: string
  /** In US dollars, as the program computed it. */
  readonly costUsd?: number
  /** ISO 8601, from the source. */
  readonly startedAt?: string
  /** The last time in any of its conversations. ISO 8601, from the source. */
  readonly updatedAt?: string
  /** Whether the session was deleted. It is then no longer in the list. */
  readonly isDeleted?: true
}

/** In UTF-16 units: a list shows a line of it. */
const MOST_TEXT = 500

/** Returns the summary of a session. */
export function summaryOf(id: string, state: SessionConversationState): HubSessionSummary {
  const { session: facts, subagents, turn } = state
  const count = (status: string) => subagents.filter((agent) => agent.status === status).length || undefined
  return omitUndefined({
    id,
    status: sessionStatus(state),
    title: sessionTitle(state),
    facts,
    agents: subagents.length,
    running: count('running'),
    failed: count('error'),
    request: firstRequest(state),
    lastText: lastText(state.blocks)?.slice(0, MOST_TEXT),
    error: turn.status === 'failed' ? (failureReason(state) ?? turn.error) : undefined,
    costUsd: facts.costUsd,
    startedAt: state.blocks.find(({ timestamp }) => timestamp !== undefined)?.timestamp ?? turn.startedAt,
    updatedAt: lastTime(state),
  })
}

/** The list needs no input of a call, which may be a whole file. */
function firstRequest(state: SessionConversationState): PendingRequest | undefined {
  const [first] = pendingRequests(state)
  if (!first) return undefined
  const { data: _, ...block } = first.block
  return { conversationId: first.conversationId, block }
}

function lastTime(state: SessionConversationState): string | undefined {
  const { startedAt, endedAt } = state.turn
  const times = [startedAt, endedAt, ...[state, ...state.subagents].map(lastTimeIn)]
  return times.reduce((last, time) => (inMs(time) > inMs(last) ? time : last), undefined)
}

function lastTimeIn({ blocks }: ConversationThread): string | undefined {
  return blocks.findLast(({ timestamp }) => timestamp !== undefined)?.timestamp
}

/**
 * Compares two summaries: the newest first, and those without a time last. Equal times are in the order of the ids, so
 * all pages have one order.
 */
export function newestFirst(left: HubSessionSummary, right: HubSessionSummary): number {
  return inMs(right.updatedAt) - inMs(left.updatedAt) || compareStrings(left.id, right.id)
}

function inMs(time: string | undefined): number {
  return time === undefined ? 0 : timeInMs(time) || 0
}
