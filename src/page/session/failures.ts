import { type ConversationBlock, findConversation, type SessionConversationState } from 'agentfold'
import { compositeKey } from '../../core/json/lists.ts'
import { errorText } from '../../core/selectors/failure.ts'
import { oneLine } from '../blocks/one-line.ts'
import { blocksInOrder } from '../search/search-blocks.ts'
import { deniedCalls } from '../tools/denied-calls.ts'
import { callText } from '../tools/tool-hint.ts'
import { agentTitle } from './agent-title.ts'

/** Returns the errors, and the calls and agents that failed, in the order of the page. */
export function failuresIn(state: SessionConversationState): readonly ConversationBlock[] {
  const blocks = blocksInOrder(state)
  const keyOf = ({ conversationId }: ConversationBlock, toolUseId: string) =>
    compositeKey(conversationId, toolUseId)
  const failed = new Set(
    blocks.flatMap((block) =>
      block.type === 'tool_result' && block.isError ? keyOf(block, block.toolUseId) : [],
    ),
  )
  const isDenied = ({ conversationId }: ConversationBlock, toolUseId: string) =>
    deniedCalls(findConversation(state, conversationId)?.blocks ?? []).has(toolUseId)
  return blocks.filter((block) => {
    if (block.type === 'tool_use')
      return (
        (block.status === 'error' || failed.has(keyOf(block, block.toolUseId))) &&
        !isDenied(block, block.toolUseId)
      )
    return block.status === 'error' && (block.type === 'error' || block.type === 'subagent')
  })
}

/** Returns what failed, in words. */
export function failureName(block: ConversationBlock): string {
  if (block.type === 'tool_use') return callText(block)
  if (block.type === 'subagent') return agentTitle(block)
  return block.type === 'error' ? oneLine(errorText(block.message)) : block.type
}
