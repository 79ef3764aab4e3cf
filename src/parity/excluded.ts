import type { ExclusionKind, Side } from '../formats/coverage.ts'

/** How much content of one kind the comparison ignored, and which side has it. */
export interface ExcludedContent {
  readonly kind: ExclusionKind
  readonly side: Side
  readonly count: number
}
