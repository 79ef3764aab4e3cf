import type { SessionSummary } from '../../node/list/session-summary.ts'
import { tokensOf } from '../../node/list/summarize-file.ts'
import { readSession } from '../../node/read/read-session.ts'
import { TranscriptError } from '../../session/input/combined.ts'
import { tokenCount } from './summary-text.ts'

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

/** Returns the session with the facts that only the whole session states. `show` says why a session cannot be read. */
async function withWholeFacts(listed: SessionSummary): Promise<SessionSummary> {
  try {
    const { state } = await readSession(listed.path)
    const { costUsd } = state.session
    const tokens = tokensOf(state)
    const facts = { agents: state.subagents.length, ...(tokens && { tokens }) }
    return { ...facts, ...(costUsd !== undefined && { costUsd }), ...listed }
  } catch (error) {
    if (error instanceof TranscriptError) return listed
    throw error
  }
}
