import type { Coverage, ExclusionKind, Side, UnmatchedBlock } from '../programs/coverage.ts'
import type { ConversationBlock } from '../state/block.ts'

/** How much content of one kind the comparison ignored, and which side has it. */
export interface ExcludedContent {
  readonly kind: ExclusionKind
  readonly side: Side
  readonly count: number
}

/** Returns the kind of a block that one side may have alone; undefined if both sides should have it. */
export function exclusionOf(
  unmatched: UnmatchedBlock,
  coverage: Coverage | undefined,
): ExclusionKind | undefined {
  if (isPending(unmatched.block)) return 'unfinished'
  return coverage?.exclusions.find(
    ({ side, applies }) => (side === 'both' || side === unmatched.side) && applies(unmatched),
  )?.kind
}

/** Whether the block, or the subagent that it stands for, is not final. */
export function isPending({ status }: ConversationBlock): boolean {
  return status === 'pending' || status === 'running'
}
