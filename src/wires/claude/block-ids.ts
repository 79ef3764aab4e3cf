import { compositeKey } from '../../core/json/lists.ts'
import { asString, type JsonObject } from '../../core/json/values.ts'
import { subagentBlockId, type UserMessageBlock } from '../../core/state/block.ts'
import { claudeCode } from '../../programs/claude-code/program.ts'

// Ids of blocks that Claude Code does not give. Each has a function that makes it, and a session from a state reads
// some of them again.

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

/** Whether the content block calls an agent. */
export function isAgentCall(part: JsonObject): boolean {
  return part.type === 'tool_use' && claudeCode.tools.agent.includes(asString(part.name) ?? '')
}

/** Returns the id of a tool call. */
export function toolUseIdOf(part: JsonObject): string {
  return asString(part.id) ?? ''
}

/**
 * Returns the block's id in the state. An agent's call is the subagent's block, and any other call has its own id.
 * The id of text and thinking is the message's id and the API's index of the block. That index counts all blocks of
 * the message. So a reader that joins in the middle of a message finds the same id as one that read the message from
 * its start.
 */
export function blockIdOf(
  part: JsonObject,
  { messageId, index }: { readonly messageId: string; readonly index: number },
): string {
  if (isAgentCall(part)) return subagentBlockId(toolUseIdOf(part))
  // The short part is made first, as in `compositeKey`.
  const suffix = `:${index}`
  return (isCall(part) && toolUseIdOf(part)) || messageId + suffix
}

/** The types of calls. The provider runs the last two itself. */
const CALL_TYPES: ReadonlySet<unknown> = new Set(['tool_use', 'server_tool_use', 'mcp_tool_use'])

/** Whether the content block is a call. */
export function isCall({ type }: JsonObject): boolean {
  return CALL_TYPES.has(type)
}

/** Whether the id of the block does not depend on the block's place. */
export function hasOwnId(part: JsonObject): boolean {
  return isAgentCall(part) || (isCall(part) && toolUseIdOf(part) !== '')
}
