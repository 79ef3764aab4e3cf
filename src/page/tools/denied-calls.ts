import type { ConversationBlock } from 'agentfold'
import { isDenied } from '../../core/selectors/call-input.ts'
import { memoizeWeakly } from '../../core/selectors/memoize.ts'

/** Returns the ids of the calls in a conversation that the person refused. */
export const deniedCalls: (blocks: readonly ConversationBlock[]) => ReadonlySet<string> = memoizeWeakly(
  (blocks) =>
    new Set(
      blocks.flatMap((block) =>
        block.type === 'request' && block.toolUseId !== undefined && isDenied([block]) ? block.toolUseId : [],
      ),
    ),
)
