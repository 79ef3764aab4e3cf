import type { BlockOf, ConversationBlock } from '../state/block.ts'
import { memoizeWeakly } from './memoize.ts'

/** Whether the person refused the call that the requests are about, so that it did not run. */
export function isDenied(requests: readonly Pick<BlockOf<'request'>, 'denied'>[]): boolean {
  return requests.some(({ denied }) => denied === true)
}

/** Returns the ids of the calls in a conversation that the person refused. */
export const deniedCalls: (blocks: readonly ConversationBlock[]) => ReadonlySet<string> = memoizeWeakly(
  (blocks) =>
    new Set(
      blocks.flatMap((block) =>
        block.type === 'request' && block.toolUseId !== undefined && isDenied([block]) ? block.toolUseId : [],
      ),
    ),
)
