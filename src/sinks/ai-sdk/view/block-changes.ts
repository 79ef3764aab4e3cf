import { type ConversationBlock, isPrompt, messageIdOf, modelOf } from '../../../core/state/block.ts'

/** The difference between two lists of blocks. */
export interface BlockChanges {
  /** The number of blocks from the start that are at their known places. They may have another content. */
  readonly kept: number
  /** The places of the kept blocks with another content. */
  readonly replaced: readonly number[]
  /** Whether no block is new or gone. */
  readonly isInPlace: boolean
}

/** Returns the difference between the known blocks of a conversation and the new ones. */
export function blockChanges(
  known: readonly ConversationBlock[],
  blocks: readonly ConversationBlock[],
): BlockChanges {
  const replaced: number[] = []
  let kept = 0
  for (const block of blocks) {
    const before = known[kept]
    if (before !== block) {
      if (!before || !hasSamePlace(before, block)) break
      replaced.push(kept)
    }
    kept += 1
  }
  return { kept, replaced, isInPlace: kept === known.length && kept === blocks.length }
}

/** Whether no look-up, no border of a message and no metadata of an answer can tell the blocks apart. */
function hasSamePlace(left: ConversationBlock, right: ConversationBlock): boolean {
  return (
    left.id === right.id &&
    left.type === right.type &&
    left.timestamp === right.timestamp &&
    isPrompt(left) === isPrompt(right) &&
    callIdOf(left) === callIdOf(right) &&
    messageIdOf(left) === messageIdOf(right) &&
    modelOf(left) === modelOf(right)
  )
}

/** Returns the id of the call that the block is, or is about: a result, or a request for a permission to run it. */
export function callIdOf(block: ConversationBlock): string | undefined {
  if (block.type === 'request' && block.kind !== 'permission') return undefined
  return 'toolUseId' in block ? block.toolUseId : undefined
}
