import type { IncomingBlock } from '../../../core/events/event.ts'
import { omitUndefined, withChanges } from '../../../core/json/fields.ts'
import { type BlockStatus, toolResultBlockId } from '../../../core/state/block.ts'
import { REFUSED } from '../../../programs/codex/command.ts'
import { callBlock, isShown, type ResultFacts, resultBlock, statusOf } from '../../kit/blocks.ts'
import type { CodexContext, CodexMemory } from '../context.ts'
import type { ToolItem } from '../items/item.ts'
import { markRefused } from '../requests/translate-request.ts'

/** Shows a call that has not ended. */
export function startTool(threadId: string, item: ToolItem, context: CodexContext): void {
  if (isOpenCall(threadId, item.id, context) || !context.isKnownItem(threadId, item.id))
    context.showWork(threadId, blockOfItem(item, 'pending'), item.startedAt)
}

/** Whether the call has no result, and its turn goes on. */
function isOpenCall(threadId: string, callId: string, memory: CodexMemory): boolean {
  const conversationId = memory.conversationOf(threadId)
  return (
    memory.state.findBlock(conversationId, callId)?.type === 'tool_use' &&
    memory.state.isOpen(conversationId, callId)
  )
}

/**
 * Shows a call with its result. The item of a call in a file is more certain than the output that the model reads. The
 * item of a stream may have less of an output, and no times: it adds to a result that is there.
 */
export function completeTool(
  threadId: string,
  item: ToolItem,
  context: CodexContext,
  isStreamed?: true,
): void {
  const { changes, durationMs, exitCode, completedAt: timestamp } = item
  const isError = item.status === 'failed' || item.status === 'declined' || (exitCode ?? 0) !== 0
  if (item.status === 'declined') markRefused(item.id, context)
  const output = item.status === 'declined' ? refusalOf(threadId, item, context) : item.output
  const result = { toolUseId: item.id, output, isError, exitCode, changes, durationMs, timestamp }
  const call = blockOfItem(item, statusOf(isError))
  if (!isStreamed || !context.isDone(threadId, toolResultBlockId(item.id)))
    return showEnd(threadId, { call, result }, context)
  for (const block of [call, omitUndefined(resultBlock(result))]) addMissing(threadId, block, context)
}

/** Adds the fields that a known block lacks. */
function addMissing(threadId: string, block: IncomingBlock, context: CodexContext): void {
  const known = context.blockOf(threadId, block.id)
  if (!known || known.type !== block.type) return
  const added = Object.entries(block).filter(([name]) => !Object.hasOwn(known, name))
  if (added.length > 0) context.show(threadId, withChanges(known, Object.fromEntries(added)))
}

/** Returns the program's words for a refused call. The items of the app-server have none, but a file may have shown them. */
function refusalOf(threadId: string, { id, output }: ToolItem, memory: CodexMemory): unknown {
  if (output !== '') return output
  const known = memory.blockOf(threadId, toolResultBlockId(id))
  return known?.type === 'tool_result' && known.isError ? known.output : REFUSED
}

/** Returns the block of an item's call. */
export function blockOfItem(
  item: Pick<ToolItem, 'id' | 'toolName' | 'input' | 'startedAt' | 'requestedBy'>,
  status: BlockStatus,
): IncomingBlock {
  const { id: toolUseId, toolName, input, requestedBy, startedAt: timestamp } = item
  return omitUndefined(callBlock({ toolUseId, toolName, input, requestedBy, timestamp }, status))
}

/** Shows the end of a call, whose own block may be missing. A repeated end adds nothing. */
export function showEnd(
  threadId: string,
  { call, result }: { readonly call: IncomingBlock | undefined; readonly result: ResultFacts },
  context: CodexContext,
): void {
  context.closeItem(threadId, toolResultBlockId(result.toolUseId))
  context.notes.removeEntry('patches', context.itemKey(threadId, result.toolUseId))
  const conversationId = context.conversationOf(threadId)
  for (const block of [call, omitUndefined(resultBlock(result))])
    if (block && !isShown(conversationId, block, context.state)) context.show(threadId, block)
}
