import type { SessionConversationState } from '../../core/state/session.ts'
import { compareSessions, type SessionComparison } from '../parity/compare.ts'
import type { SessionDifference } from '../parity/comparison.ts'

/** Two states of one session differ. */
export class ParityError extends Error {
  readonly differences: readonly SessionDifference[]

  constructor(differences: readonly SessionDifference[]) {
    super(
      `live and stored differ, ${differences.length} in all: ${differences.slice(0, MAX_SHOWN).map(describe).join('; ')}`,
    )
    this.name = 'ParityError'
    this.differences = differences
  }
}

/**
 * Compares the state of a live stream with the state of the stored files, by `compareSessions`. Returns the content that the comparison
 * ignored, counted by kind, so that a test can check that too. Throws a `ParityError` with the differences.
 */
export function assertParity(
  live: SessionConversationState,
  stored: SessionConversationState,
): SessionComparison['excluded'] {
  const { differences, excluded } = compareSessions(live, stored)
  if (differences.length > 0) throw new ParityError(differences)
  return excluded
}

/** The error names the first differences only. The others mostly follow from them. */
const MAX_SHOWN = 5

function describe({ kind, conversationId, id, field }: SessionDifference): string {
  return [kind, conversationId, id, field].filter((part) => part !== undefined).join(' ')
}
