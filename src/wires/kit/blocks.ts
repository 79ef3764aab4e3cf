import type { EventOf, IncomingBlock } from '../../core/events/event.ts'
import { isEqual } from '../../core/json/equal.ts'
import { type AllowUndefined, omitUndefined } from '../../core/json/fields.ts'
import { type BlockStatus, type BlockType, toolResultBlockId } from '../../core/state/block.ts'
import { hasCounts, MAIN } from '../../core/state/session.ts'
import type { SessionOutput } from '../../reading/context.ts'
import type { SessionLookups } from '../../reading/lookups.ts'

// The blocks and the tokens that all programs have. A wire reads the facts.

/** The facts of a block of that type. */
type FactsOf<Type extends BlockType, Made extends string> = AllowUndefined<
  Omit<Extract<IncomingBlock, { readonly type: Type }>, 'type' | Made>
>

/** Returns the block of a call. */
export function callBlock<const Facts extends FactsOf<'tool_use', 'id' | 'status'>>(
  call: Facts,
  status: BlockStatus = 'pending',
) {
  return { type: 'tool_use', id: call.toolUseId, status, ...call } as const
}

/** The result of a call. */
export type ResultFacts = FactsOf<'tool_result', 'id' | 'status'>

/** Returns the block of a call's result. */
export function resultBlock(result: ResultFacts, status: BlockStatus = statusOf(result.isError)) {
  return { type: 'tool_result', id: toolResultBlockId(result.toolUseId), status, ...result } as const
}

/** Returns the status of a call that has ended. */
export function statusOf(isError: boolean): 'complete' | 'error' {
  return isError ? 'error' : 'complete'
}

/** Whether the call has its result. One that only the end of a turn or an input has finalized may still follow. */
export function hasResult(conversationId: string, toolUseId: string, state: SessionLookups): boolean {
  const id = toolResultBlockId(toolUseId)
  return state.findBlock(conversationId, id) !== undefined && !state.isOpen(conversationId, id)
}

/** Whether the state has the block as it is, and nothing more follows. */
export function isShown(conversationId: string, block: IncomingBlock, state: SessionLookups): boolean {
  const known = state.findBlock(conversationId, block.id)
  return (
    known !== undefined &&
    !state.isOpen(conversationId, block.id) &&
    isEqual(known, { ...block, conversationId: known.conversationId })
  )
}

/**
 * Shows a block that is new or has changed. A block that the person has taken back stays on its branch, and so do the
 * others of its message.
 */
export function show(
  conversationId: string,
  fields: AllowUndefined<IncomingBlock>,
  output: SessionOutput,
): void {
  const block: IncomingBlock = omitUndefined(fields)
  if (!isTakenBack(conversationId, block, output.state) && !isShown(conversationId, block, output.state))
    output.upsert(conversationId, block)
}

/** Whether the block, or another one of its message, is on an abandoned branch. */
function isTakenBack(conversationId: string, block: IncomingBlock, state: SessionLookups): boolean {
  if (conversationId !== MAIN || state.branches.length === 0 || state.findBlock(MAIN, block.id)) return false
  const messageId = 'messageId' in block ? block.messageId : undefined
  return state.isAbandoned(block.id) || (messageId !== undefined && state.isAbandoned(messageId))
}

/** Reports the final tokens of a message. Known ones, and those without any count, add nothing. */
export function reportUsage(
  conversationId: string,
  {
    messageId,
    usage,
    model,
  }: AllowUndefined<Pick<EventOf<'usage:reported'>, 'messageId' | 'usage' | 'model'>>,
  output: SessionOutput,
): void {
  const known = output.state.usageOf(conversationId, messageId)
  const isKnown = isEqual(known, omitUndefined({ messageId, final: true, model, ...usage }))
  if (hasCounts(usage) && !isKnown)
    output.emit({ type: 'usage:reported', conversationId, messageId, usage, final: true, model })
}

/** A note of the program: a retry, an interruption, a compaction. */
export type NoteFacts = FactsOf<'system', 'status'>

/** Returns the block of a note. */
export function noteBlock(note: NoteFacts, status: BlockStatus = 'complete') {
  return { type: 'system', status, ...note } as const
}

/** Returns the block of an error that ended a turn or an agent. */
export function errorBlock(error: FactsOf<'error', 'status'>, status: BlockStatus = 'complete') {
  return { type: 'error', status, ...error } as const
}

/** The message of a compaction. It is the same in all formats. */
export const COMPACTED = 'Conversation compacted'

interface Summary {
  /** The id of the mark. */
  readonly id: string
  readonly summary: string | undefined
  /** By default that of the mark with an ending of its own. */
  readonly summaryId?: string | undefined
  readonly timestamp?: string | undefined
}

type Compaction = Omit<NoteFacts, 'subtype' | 'message'> & Summary

/** Returns the mark of a compaction, and its summary if there is one. */
export function compactionBlocks({
  summary,
  summaryId,
  ...facts
}: Compaction): readonly AllowUndefined<IncomingBlock>[] {
  const { id, timestamp } = facts
  const mark = noteBlock({ subtype: 'compaction', message: COMPACTED, ...facts })
  return [mark, ...summaryBlocks({ id, summary, summaryId, timestamp })]
}

/** Returns the summary of a compaction, if there is one. */
export function summaryBlocks({ id, summary: content, summaryId = `${id}:summary`, timestamp }: Summary) {
  if (!content) return []
  // A literal, because a copy by spread has a hidden class of its own.
  return [
    { type: 'user_message', id: summaryId, status: 'complete', content, origin: 'summary', timestamp },
  ] as const
}
