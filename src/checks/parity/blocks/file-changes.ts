import { isEqual } from '../../../core/json/equal.ts'
import type { ConversationBlock } from '../../../core/state/block.ts'
import type { FileChange } from '../../../core/state/file-change.ts'
import type { Side } from '../../../programs/coverage.ts'
import type { Pair } from '../comparison.ts'

/**
 * Returns the side that alone has the program's diffs of the same changes. The other side counts lines from the call's input, and its
 * counts may differ: it does not know how often a text was replaced.
 */
export function sideWithDiffs({ live, stored }: Pair<ConversationBlock>): Side | undefined {
  const pairs = pairsOf(changesOf(live), changesOf(stored))
  if (!pairs?.every(isSameChange)) return undefined
  const side = pairs.map(sideWithDiff).find((each) => each !== undefined)
  return pairs.every((pair) => [undefined, side].includes(sideWithDiff(pair))) ? side : undefined
}

function changesOf(block: ConversationBlock): readonly FileChange[] {
  return ('changes' in block && block.changes) || []
}

function pairsOf(
  live: readonly FileChange[],
  stored: readonly FileChange[],
): readonly Pair<FileChange>[] | undefined {
  if (live.length !== stored.length) return undefined
  return live.flatMap((change, at) => {
    const other = stored[at]
    return other ? [{ live: change, stored: other }] : []
  })
}

/** Whether the changes are equal as far as both sides know them. */
function isSameChange(pair: Pair<FileChange>): boolean {
  const { live, stored } = pair
  if (sideWithDiff(pair) === undefined) return isEqual(live, stored)
  return live.path === stored.path && live.kind === stored.kind && live.from === stored.from
}

function sideWithDiff({ live, stored }: Pair<FileChange>): Side | undefined {
  if ((live.hunks === undefined) === (stored.hunks === undefined)) return undefined
  return live.hunks ? 'live' : 'stored'
}
