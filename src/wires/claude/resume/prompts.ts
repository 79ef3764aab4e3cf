import { type BlockOf, type ConversationBlock, isPrompt } from '../../../state/block.ts'
import { isQueuedBlockId, promptBlockId, promptKey } from '../block-ids.ts'
import type { ClaudeMemory } from '../memory.ts'
import type { ResumedThread } from './collect.ts'

/** Returns the prompt of a subagent's conversation. */
export function promptOf(
  conversationId: string,
  blocks: readonly ConversationBlock[],
): BlockOf<'user_message'> | undefined {
  return blocks.filter(isPrompt).find(({ id }) => id === promptBlockId(conversationId))
}

/** Returns the prompt of a subagent, whose line another stream may have under another uuid, by `promptKey`. */
export function unnamedPrompts({ id, blocks }: ResumedThread): readonly (readonly [string, string])[] {
  const prompt = promptOf(id, blocks)
  return prompt ? [[promptKey(id, prompt.content), id]] : []
}

/** Returns main's last prompts if only the program's queue has held them. A later line may hold them too. */
export function queuedPrompts(blocks: readonly ConversationBlock[]): ClaudeMemory['queuedPrompts'] {
  const prompts = blocks.filter(isPrompt)
  const lastLine = prompts.findLastIndex(({ id }) => !isQueuedBlockId(id))
  return prompts
    .slice(lastLine + 1)
    .flatMap(({ content, id }) => (typeof content === 'string' ? [{ text: content, blockId: id }] : []))
}
