import type { IncomingBlock } from '../../../events/event.ts'
import { isEqual } from '../../../json/equal.ts'
import { omitUndefined } from '../../../json/omit-undefined.ts'
import { isString } from '../../../json/values.ts'
import { type BlockOf, toolResultBlockId } from '../../../state/block.ts'
import type { FileChange } from '../../../state/file-change.ts'
import type { CodexContext } from '../context.ts'
import type { CodexEventOf } from '../events/event.ts'
import type { ToolItem } from '../items/item.ts'
import { markRefused } from '../requests/translate-request.ts'
import { isNewDelta } from './message.ts'

/** Shows a call that has not ended. */
export function startTool(threadId: string, item: ToolItem, context: CodexContext): void {
  if (isOpenCall(threadId, item.id, context) || !context.isKnownItem(threadId, item.id))
    context.showWork(threadId, callBlock(item, 'pending'), item.startedAt)
}

/** Whether the call has no result, and its turn goes on. */
function isOpenCall(threadId: string, callId: string, context: CodexContext): boolean {
  const conversationId = context.conversationOf(threadId)
  return (
    context.findBlock(conversationId, callId)?.type === 'tool_use' && context.isOpen(conversationId, callId)
  )
}

/** Shows a call with its result. The item of a call is more certain than the output that the model reads. */
export function completeTool(threadId: string, item: ToolItem, context: CodexContext): void {
  const isError = item.status === 'failed' || item.status === 'declined'
  if (item.status === 'declined') markRefused(item.id, context)
  const output = item.status === 'declined' ? REFUSED : item.output
  const { changes, durationMs, completedAt: time } = item
  const result = { toolUseId: item.id, output, isError, changes, durationMs, time }
  showEnd(threadId, { call: callBlock(item, isError ? 'error' : 'complete'), result }, context)
}

/** The output of a call that a person has refused. Each form has other words for it, or none. */
export const REFUSED = 'rejected by user'

/** Returns the block of a call. */
export function callBlock(
  { id, toolName, input, startedAt }: Pick<ToolItem, 'id' | 'toolName' | 'input' | 'startedAt'>,
  status: BlockOf<'tool_use'>['status'],
): IncomingBlock {
  return omitUndefined({
    type: 'tool_use',
    id,
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

/** Shows the end of a call, whose own block may be missing. A repeated end adds nothing. */
export function showEnd(
  threadId: string,
  { call, result }: { readonly call: IncomingBlock | undefined; readonly result: CallResult },
  context: CodexContext,
): void {
  context.closeItem(threadId, toolResultBlockId(result.toolUseId))
  context.removeEntry('patches', context.itemKey(threadId, result.toolUseId))
  for (const block of [call, resultBlock(result, result.isError ? 'error' : 'complete')])
    if (block && !isShown(threadId, block, context)) context.show(threadId, block)
}

function isShown(threadId: string, block: IncomingBlock, context: CodexContext): boolean {
  const known = context.blockOf(threadId, block.id)
  if (!known || context.isOpen(known.conversationId, block.id)) return false
  return isEqual(known, { ...block, conversationId: known.conversationId })
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

/** Shows the output of a command that still runs. A delta may be repeated, so it does not go on with a result that has an end, or that was cut. */
export function appendOutput(threadId: string, event: CodexEventOf<'delta'>, context: CodexContext): void {
  const { itemId: toolUseId, delta } = event
  const resultId = toolResultBlockId(toolUseId)
  const result = context.blockOf(threadId, resultId)
  if (context.blockOf(threadId, toolUseId)?.type !== 'tool_use') return
  if (result && result.status !== 'pending') return
  if (!isNewDelta(context.itemKey(threadId, resultId), event, context)) return
  const known = result?.type === 'tool_result' && isString(result.output) ? result.output : ''
  context.show(threadId, resultBlock({ toolUseId, output: known + delta, isError: false }, 'pending'))
}
