import type { ConversationBlock } from '../../../state/block.ts'
import { MAIN, type SessionConversationState } from '../../../state/session.ts'
import type { AgUiMessage } from '../../../wires/ag-ui/message.ts'
import { blockMessages } from './block-messages.ts'
import { allPairs } from './pairs.ts'

/** Returns the messages of a session: main's in order, then those of each agent. The result of a call follows the call. */
export function toAgUiMessages(state: SessionConversationState): AgUiMessage[] {
  return [
    ...threadMessages(state.blocks, MAIN),
    ...state.subagents.flatMap(({ toolUseId, blocks }) => threadMessages(blocks, toolUseId)),
  ]
}

function threadMessages(blocks: readonly ConversationBlock[], conversationId: string): AgUiMessage[] {
  const pairs = allPairs(blocks)
  return blocks.flatMap((block) => {
    const { own, result } = blockMessages(block, conversationId, pairs)
    return [own, result].filter((message) => message !== undefined)
  })
}
