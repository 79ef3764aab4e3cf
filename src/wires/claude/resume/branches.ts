import { answeredCalls } from '../../../selectors/find.ts'
import type { BlockOf, ConversationBlock } from '../../../state/block.ts'
import type { SessionConversationState } from '../../../state/session.ts'
import type { ClaudeMemory } from '../memory.ts'
import { collect } from './collect.ts'

/** Returns the calls without a result on abandoned branches, and the messages before which the program saved the files. */
export function resumedBranches({
  blocks,
  branches = [],
}: SessionConversationState): Pick<ClaudeMemory, 'abandonedCalls' | 'checkpoints' | 'lastUserMessage'> {
  return {
    abandonedCalls: collect(branches, (branch) => unansweredIds(branch.blocks).map((id) => [id, id])),
    checkpoints: collect(blocks.filter(isUserMessage), ({ id, checkpoint }) =>
      checkpoint ? [[id, id]] : [],
    ),
    lastUserMessage: blocks.findLast(isUserMessage),
  }
}

function unansweredIds(blocks: readonly ConversationBlock[]): readonly string[] {
  const answered = answeredCalls(blocks)
  return blocks.flatMap((block) =>
    block.type === 'tool_use' && !answered.has(block.toolUseId) ? [block.toolUseId] : [],
  )
}

function isUserMessage(block: ConversationBlock): block is BlockOf<'user_message'> {
  return block.type === 'user_message'
}
