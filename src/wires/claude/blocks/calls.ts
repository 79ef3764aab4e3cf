import { type BlockOf, toolResultBlockId } from '../../../core/state/block.ts'
import type { ClaudeContext } from '../context.ts'

/** Names a call: the ids of calls are unique within a conversation only. */
export interface CallRef {
  readonly conversationId: string
  readonly toolUseId: string
}

/** Whether the call has its result. */
export function hasResult({ conversationId, toolUseId }: CallRef, context: ClaudeContext): boolean {
  return context.findBlock(conversationId, toolResultBlockId(toolUseId)) !== undefined
}

/** Returns the whole call of a tool if it waits for its result. The end of its turn makes such a call final. */
export function waitingCall(ref: CallRef, context: ClaudeContext): BlockOf<'tool_use'> | undefined {
  const { conversationId, toolUseId } = ref
  const call =
    toolUseId === '' ? callWithoutId(conversationId, context) : context.findCall(conversationId, toolUseId)
  if (!call || call.inputText !== undefined) return undefined
  return context.isOpen(conversationId, call.id) || !hasResult(ref, context) ? call : undefined
}

/** The block of a call without an id has another one. */
function callWithoutId(conversationId: string, context: ClaudeContext): BlockOf<'tool_use'> | undefined {
  return context
    .openBlocks(conversationId)
    .findLast((block): block is BlockOf<'tool_use'> => block.type === 'tool_use' && block.toolUseId === '')
}

/** Whether a call of a tool with the id waits for its result in any conversation. */
export function isWaitingCall(toolUseId: string | undefined, context: ClaudeContext): boolean {
  const conversationId = toolUseId === undefined ? undefined : context.conversationOfCall(toolUseId)
  if (toolUseId === undefined || conversationId === undefined) return false
  return waitingCall({ conversationId, toolUseId }, context) !== undefined
}

/** Whether a call of the running turn waits for its result. */
export function hasWaitingCalls(conversationId: string, context: ClaudeContext): boolean {
  return context
    .openBlocks(conversationId)
    .some((block) => block.type === 'tool_use' && block.inputText === undefined)
}
