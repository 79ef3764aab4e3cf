import { omitUndefined } from '../../core/json/fields.ts'
import type { SessionSummary } from '../../node/list/session-summary.ts'
import { tokensOf } from '../../node/list/summarize-file.ts'
import { tokenCount } from './summary-text.ts'
import { wholeState } from './whole-state.ts'

/** The orders of a list: the newest first, or the greatest value first. */
export const SORT_KEYS = ['age', 'cost', 'tokens', 'agents'] as const

export type SortKey = (typeof SORT_KEYS)[number]

const VALUES = {
  cost: ({ costUsd }: SessionSummary) => costUsd,
  tokens: tokenCount,
  agents: ({ agents }: SessionSummary) => agents,
}

/** Yields the sessions in an order. Equal ones stay as they come, which is newest first, and those without the value are last. */
export async function* sortedSessions(
  sessions: AsyncIterable<SessionSummary>,
  key: SortKey,
): AsyncGenerator<SessionSummary, void> {
  if (key === 'age') return yield* sessions
  const valueIn = VALUES[key]
  const all: { readonly session: SessionSummary; readonly value: number }[] = []
  for await (const listed of sessions) {
    const session = valueIn(listed) === undefined ? await withWholeFacts(listed) : listed
    all.push({ session, value: valueIn(session) ?? -1 })
  }
  yield* all.sort((left, right) => right.value - left.value).map(({ session }) => session)
}

/** Returns the session with the facts that only the whole session states. */
async function withWholeFacts(listed: SessionSummary): Promise<SessionSummary> {
  const state = await wholeState(listed.path)
  if (!state) return listed
  const { costUsd } = state.session
  const facts = { agents: state.subagents.length, costUsd, tokens: tokensOf(state) }
  return { ...omitUndefined(facts), ...listed }
}
