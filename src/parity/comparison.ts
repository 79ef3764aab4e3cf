import type { ContentSummary, Coverage, ExclusionKind, Side } from '../programs/coverage.ts'
import type { ConversationThread } from '../state/session.ts'
import type { Pair, SessionDifference } from './difference.ts'
import type { ExcludedContent } from './exclusion.ts'

/** One conversation on both sides. */
export interface ConversationPair {
  readonly id: string
  readonly threads: Pair<ConversationThread>
  readonly content: Pair<ContentSummary>
  /** The ids of messages and calls in the stored conversation that called the subagent. */
  readonly parentIds: ReadonlySet<string>
}

/** The facts that decide how two sessions are compared, and the place for the findings. */
export interface ComparisonContext {
  /** Undefined if the program is unknown. */
  readonly coverage: Coverage | undefined
  readonly version: string
  readonly comparison: Comparison
}

/** The findings of a comparison so far. */
export class Comparison {
  readonly differences: SessionDifference[] = []
  readonly #counts = new Map<string, ExcludedContent>()

  differ(difference: SessionDifference): void {
    this.differences.push(difference)
  }

  exclude(kind: ExclusionKind, side: Side, count = 1): void {
    const key = `${kind} ${side}`
    const before = this.#counts.get(key)?.count ?? 0
    if (count > 0) this.#counts.set(key, { kind, side, count: before + count })
  }

  get excluded(): readonly ExcludedContent[] {
    return [...this.#counts.values()]
  }
}
