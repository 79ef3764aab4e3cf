import { compositeKey } from '../../json/composite-key.ts'
import type { UserMessageBlock } from '../../state/block.ts'

/** Ids of user messages that Claude Code does not give. Each has a function that makes it, and the resumption reads them again. */

/** Returns the id of a subagent's prompt. It is known before the prompt's line. */
export function promptBlockId(conversationId: string): string {
  return `${conversationId}:prompt`
}

/** Returns the key of a prompt by its content. A line with the same key may repeat the prompt under another uuid. */
export function promptKey(conversationId: string, content: UserMessageBlock['content']): string {
  return compositeKey(conversationId, typeof content === 'string' ? content : JSON.stringify(content))
}

const QUEUED_PREFIX = 'queued:'

/** Returns the id of a prompt that so far only the queue holds. */
export function queuedBlockId(timestamp: string): string {
  return QUEUED_PREFIX + timestamp
}

/** Whether the id is that of a prompt that so far only the queue holds. */
export function isQueuedBlockId(blockId: string): boolean {
  return blockId.startsWith(QUEUED_PREFIX)
}
