import { compareSessions, type SessionComparison } from '../parity/compare.ts'
import type { SessionDifference } from '../parity/difference.ts'
import type { SessionConversationState } from '../state/session.ts'

/** Two states of one session that are not the same. */
export class ParityError extends Error {
  readonly differences: readonly SessionDifference[]

  constructor(differences: readonly SessionDifference[]) {
    super(
      `live and stored differ in ${differences.length}: ${differences.slice(0, SHOWN).map(said).join('; ')}`,
    )
    this.name = 'ParityError'
    this.differences = differences
  }
}

/**
 * Compares the state of a live stream with the one read from what was stored, by `compareSessions`, and returns what was left out of
 * the comparison, so that a test can hold that too. Throws a `ParityError` that names the differences.
 */
export function assertParity(
  live: SessionConversationState,
  stored: SessionConversationState,
): SessionComparison['projected'] {
  const { differences, projected } = compareSessions(live, stored)
  if (differences.length > 0) throw new ParityError(differences)
  return projected
}

/** The first ones say what is wrong; the rest mostly follows from it. */
const SHOWN = 5

function said({ kind, conversationId, id, field }: SessionDifference): string {
  return [kind, conversationId, id, field].filter((part) => part !== undefined).join(' ')
}
