import { omitUndefined } from '../../core/json/fields.ts'
import { timeInMs } from '../../core/json/lists.ts'
import { reduceSessionEvents } from '../../core/reducer/reduce.ts'
import { failureText } from '../../core/selectors/failure.ts'
import { pendingRequests } from '../../core/selectors/requests.ts'
import { type SessionStatus, sessionStatus } from '../../core/selectors/status.ts'
import { addTokens, sumUsage } from '../../core/selectors/usage.ts'
import { lastText } from '../../core/state/block.ts'
import type { SessionConversationState } from '../../core/state/session.ts'
import type { SessionSummary } from '../list/session-summary.ts'
import { storedTokens } from '../list/summarize-file.ts'
import { ACTIVE_MS, type KeptRow, type RowStatus } from './session-row.ts'

/** Returns the row of a session. Without a state, the session cannot be read. */
export function keptRow(summary: SessionSummary, state: SessionConversationState | undefined): KeptRow {
  const { agents: _agents, ...facts } = summary
  if (!state) return { ...facts, tools: [], isProvisional: false, hasFailures: false }
  const { final, provisional } = sumUsage(state.usage)
  const ended = rowStatus(state)
  const open = rowStatus(continued(state))
  const calls = [state, ...state.subagents].flatMap(({ blocks }) => blocks)
  return omitUndefined({
    ...facts,
    costUsd: facts.costUsd ?? state.session.costUsd,
    agents: state.subagents.length,
    tokens: storedTokens(addTokens(final, provisional)) ?? facts.tokens,
    isProvisional: provisional.messages > 0,
    ended,
    open: open.status === ended.status && open.reason === ended.reason ? undefined : open,
    lastAt: lastTime(state),
    tools: [...new Set(calls.flatMap((block) => (block.type === 'tool_use' ? [block.toolName] : [])))],
    hasFailures:
      state.turn.status === 'failed' ||
      calls.some(({ status, type }) => type === 'error' || (status === 'error' && type === 'tool_use')),
    answer: lastText(state.blocks)?.slice(0, MAX_TEXT),
  })
}

/** In UTF-16 units. */
const MAX_TEXT = 500

function rowStatus(state: SessionConversationState): RowStatus {
  const status = sessionStatus(state)
  const reason = reasonOf(status, state)?.trim().slice(0, MAX_TEXT)
  return reason ? { status, reason } : { status }
}

function reasonOf(status: SessionStatus, state: SessionConversationState): string | undefined {
  if (status === 'waiting') return pendingRequests(state)[0]?.block.title
  return failureText(state)
}

/** Returns the state if its turn and its agents go on that the end of the input stopped. */
export function continued(state: SessionConversationState): SessionConversationState {
  const agents = state.subagents.map(
    ({ toolUseId }) => ({ type: 'subagent:resumed', toolUseId, continues: true }) as const,
  )
  return reduceSessionEvents(state, [{ type: 'session:running', continues: true }, ...agents])
}

/**
 * Returns the time until which a turn or an agent without an end goes on, in ms since the epoch. `changedAt` is the last
 * time at which the session changed.
 */
export function goesOnUntil(state: SessionConversationState, changedAt: number): number {
  return Math.max(changedAt, lastTime(state)) + ACTIVE_MS
}

/** Returns the last time in a conversation of the session, in ms since the epoch. 0 if they have none. */
export function lastTime({ blocks, subagents }: SessionConversationState): number {
  const times = [{ blocks }, ...subagents].map((thread) => timeInMs(thread.blocks.at(-1)?.timestamp ?? ''))
  return times.reduce((last, time) => (time > last ? time : last), 0)
}
