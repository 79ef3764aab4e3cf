import { type ConversationBlock, isCall, isModelText, isPrompt } from '../../core/state/block.ts'

/**
 * Whether the conversation of an agent has its prompt. A stream may lack the prompt, and have notes of the program or
 * the prompt of a later run. So the prompt comes before the model's first block, or has the same words.
 */
export function showsPrompt(blocks: readonly ConversationBlock[], prompt: string): boolean {
  const first = blocks.find((block) => isPrompt(block) || isAnswer(block))
  return (
    (first !== undefined && isPrompt(first)) ||
    blocks.some((block) => isPrompt(block) && block.content === prompt)
  )
}

function isAnswer(block: ConversationBlock): boolean {
  return isModelText(block) || isCall(block) || block.type === 'tool_result'
}
