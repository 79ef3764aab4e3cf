import { type BlockOf, type ConversationBlock, isPrompt } from '../../../state/block.ts'
import { isQueuedBlockId, promptBlockId } from '../block-ids.ts'
import type { ClaudeMemory } from '../memory.ts'

/** Returns the prompt of a subagent's conversation. */
export function promptOf(
  conversationId: string,
  blocks: readonly ConversationBlock[],
): BlockOf<'user_message'> | undefined {
  return blocks.filter(isPrompt).find(({ id }) => id === promptBlockId(conversationId))
}

/** Returns a prompt's content as the text by which a later line is compared. */
export function promptText(prompt: Pick<BlockOf<'user_message'>, 'content'> | undefined): string | undefined {
  if (!prompt) return undefined
  return typeof prompt.content === 'string' ? prompt.content : JSON.stringify(prompt.content)
}

/** Returns main's last prompts if only the program's queue has held them. A later line may hold them too. */
export function queuedPrompts(blocks: readonly ConversationBlock[]): ClaudeMemory['queuedPrompts'] {
  const prompts = blocks.filter(isPrompt)
  const lastLine = prompts.findLastIndex(({ id }) => !isQueuedBlockId(id))
  return prompts
    .slice(lastLine + 1)
    .flatMap(({ content, id }) => (typeof content === 'string' ? [{ text: content, blockId: id }] : []))
}
