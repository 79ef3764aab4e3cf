import { traitsOfProgram } from '../formats/all.ts'
import { type ConversationBlock, messageIdOf } from '../state/block.ts'
import type { ConversationThread, MessageUsage } from '../state/session.ts'

/** A host whose events name no known program emits whole messages. */
const UNKNOWN_PROGRAM = { canBeEmpty: true, textNeedsUsage: false }

/**
 * Returns the text of the first response, or undefined while it is not certain. A model's block without a message id may belong
 * to any message, so nothing is certain then.
 */
export function firstResponseText(
  { blocks, usage }: ConversationThread,
  program: string | undefined,
): string | undefined {
  const { canBeEmpty, textNeedsUsage } = traitsOfProgram(program)?.firstMessages ?? UNKNOWN_PROGRAM
  const modelBlocks = blocks.filter(isModelBlock)
  const [first] = usage
  // The tokens of withdrawn messages stay. So an empty first message is not certain if others follow.
  if (first && isEmptyMessage(first, blocks)) return canBeEmpty && modelBlocks.length === 0 ? '' : undefined
  const messageId = modelBlocks[0] && messageIdOf(modelBlocks[0])
  if (messageId === undefined) return undefined
  // Text may arrive before its message's role. Only a model's message has usage.
  if (textNeedsUsage && !usage.some((entry) => entry.messageId === messageId)) return undefined
  const text = modelBlocks.find((block) => block.type === 'assistant_text' && block.messageId === messageId)
  if (text?.type === 'assistant_text') return text.status === 'pending' ? undefined : text.content
  return hasEndedWithoutText(messageId, usage, blocks) ? '' : undefined
}

/** Returns whether the message has final tokens but no block. */
function isEmptyMessage({ final, messageId }: MessageUsage, blocks: readonly ConversationBlock[]): boolean {
  return final && !blocks.some((block) => messageIdOf(block) === messageId)
}

/**
 * Returns whether a message certainly has no text. A stream may lack a subagent's text, and a file may end before the message's
 * next line. It is certain if the tokens are final, and the message has called a tool or another block follows.
 */
function hasEndedWithoutText(
  messageId: string,
  usage: readonly MessageUsage[],
  blocks: readonly ConversationBlock[],
): boolean {
  if (!usage.some((entry) => entry.messageId === messageId && entry.final)) return false
  const last = blocks.findLastIndex((block) => messageIdOf(block) === messageId)
  const hasCalled = blocks.some((block) => messageIdOf(block) === messageId && isCall(block))
  return hasCalled || last < blocks.length - 1
}

/** Returns whether the model wrote the block. */
export function isModelBlock(block: ConversationBlock): boolean {
  return block.type === 'assistant_text' || block.type === 'thinking' || isCall(block)
}

function isCall({ type }: ConversationBlock): boolean {
  return type === 'tool_use' || type === 'subagent'
}
