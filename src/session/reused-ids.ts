import { type ConversationBlock, messageIdOf, subagentBlockId } from '../state/block.ts'

/** A call as the model names it. */
interface NamedCall {
  readonly conversationId: string
  readonly messageId: string
  readonly callId: string
}

/** Finds a block of a conversation. */
interface Blocks {
  findBlock(conversationId: string, id: string): ConversationBlock | undefined
}

/** Returns the id of a call in the state. Some models count their calls anew, so a later message may use an id again. */
export function idOfCall({ conversationId, messageId, callId }: NamedCall, blocks: Blocks): string {
  const known =
    blocks.findBlock(conversationId, callId) ?? blocks.findBlock(conversationId, subagentBlockId(callId))
  const ofOther = known && messageIdOf(known)
  return ofOther === undefined || ofOther === messageId ? callId : `${callId}@${messageId}`
}

/** Returns the model's id of a call that has another one in the state; undefined for other blocks. */
export function reusedId(block: ConversationBlock): string | undefined {
  if (block.type !== 'tool_use' && block.type !== 'subagent') return undefined
  const { toolUseId, messageId } = block
  return messageId !== undefined &&
    toolUseId.length > messageId.length + 1 &&
    toolUseId.endsWith(`@${messageId}`)
    ? toolUseId.slice(0, -messageId.length - 1)
    : undefined
}
