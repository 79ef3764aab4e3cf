import type { IncomingBlock } from '../../../events/event.ts'
import { omitUndefined } from '../../../json/omit-undefined.ts'
import { type BlockOf, toolResultBlockId } from '../../../state/block.ts'
import type { FileChange } from '../../../state/file-change.ts'
import type { CodexContext } from '../context.ts'
import type { CodexEventOf } from '../events/event.ts'
import type { ToolItem } from '../items/item.ts'
import { markRefused } from '../requests/translate-request.ts'
import { isNewDelta } from './text.ts'

/** Shows a call that has not ended. */
export function startTool(threadId: string, item: ToolItem, context: CodexContext): void {
  const known = context.item(threadId, item.id)
  if (known && !known.call) return
  const call = callBlock(item, 'pending')
  context.updateItem(threadId, item.id, { call })
  context.showWork(threadId, call, item.startedAt)
}

/** Shows a call with its result. The item of a call is more certain than the output that the model reads. */
export function completeTool(threadId: string, item: ToolItem, context: CodexContext): void {
  if (context.item(threadId, item.id)?.endedBy === 'item') return
  context.endItem(threadId, item.id, 'item')
  const isError = item.status === 'failed' || item.status === 'declined'
  if (item.status === 'declined') markRefused(item.id, context)
  context.show(threadId, callBlock(item, isError ? 'error' : 'complete'))
  const output = item.status === 'declined' ? REFUSED : item.output
  const { changes, durationMs, completedAt: time } = item
  showResult(threadId, { toolUseId: item.id, output, isError, changes, durationMs, time }, context)
}

/** The output of a call that a person has refused. Each form has other words for it, or none. */
export const REFUSED = 'rejected by user'

/** Returns the block of a call. */
export function callBlock(
  { id, toolName, input, startedAt }: Pick<ToolItem, 'id' | 'toolName' | 'input' | 'startedAt'>,
  status: BlockOf<'tool_use'>['status'],
): BlockOf<'tool_use'> {
  return omitUndefined({
    type: 'tool_use',
    id,
    conversationId: '',
    status,
    toolName,
    toolUseId: id,
    input,
    timestamp: startedAt,
  })
}

/** The result of a call. */
export interface CallResult {
  readonly toolUseId: string
  readonly output: unknown
  readonly isError: boolean
  readonly changes?: readonly FileChange[] | undefined
  readonly durationMs?: number | undefined
  readonly time?: string | undefined
}

/** Shows the result of a call. */
export function showResult(threadId: string, result: CallResult, context: CodexContext): void {
  context.show(threadId, resultBlock(result, result.isError ? 'error' : 'complete'))
}

function resultBlock(
  { toolUseId, output, isError, changes, durationMs, time: timestamp }: CallResult,
  status: 'pending' | 'complete' | 'error',
): IncomingBlock {
  const id = toolResultBlockId(toolUseId)
  return omitUndefined({
    type: 'tool_result',
    id,
    status,
    toolUseId,
    output,
    isError,
    durationMs,
    changes,
    timestamp,
  })
}

/** Shows the output of a command that still runs. */
export function appendOutput(threadId: string, event: CodexEventOf<'delta'>, context: CodexContext): void {
  const item = context.item(threadId, event.itemId)
  if (!item?.call || !isNewDelta(threadId, event, context)) return
  const output = (item.output ?? '') + event.delta
  context.updateItem(threadId, event.itemId, { output })
  context.show(threadId, resultBlock({ toolUseId: event.itemId, output, isError: false }, 'pending'))
}
