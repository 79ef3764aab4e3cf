import { isEqual } from '../json/equal.ts'
import { type ConversationBlock, isPrompt } from '../state/block.ts'
import { type ConversationThread, MAIN } from '../state/session.ts'
import type { Carried, Context, Conversation } from './comparison.ts'
import type { Pair, Side } from './difference.ts'
import { compareFields } from './fields.ts'
import { keyed } from './keyed.ts'
import { compareOrder } from './order.ts'
import { isModelText, isPending, isThinking, projectionOf } from './rules.ts'

/** Compares the blocks of a conversation. */
export function compareBlocks(conversation: Conversation, context: Context): void {
  const live = keyed(conversation.threads.live)
  const stored = keyed(conversation.threads.stored)
  const unforwarded = unforwardedIn(conversation)
  for (const [key, block] of live) {
    const other = stored.get(key)
    if (other) compareBlock({ live: block, stored: other }, conversation, unforwarded, context)
    else missBlock({ block, side: 'live', isUnforwarded: false }, conversation, context)
  }
  for (const [key, block] of stored)
    if (!live.has(key))
      missBlock({ block, side: 'stored', isUnforwarded: unforwarded.has(block.id) }, conversation, context)
  compareOrder(conversation, { live, stored }, context)
}

/** What a side has of a conversation at all. */
export function carriedBy({ blocks }: ConversationThread): Carried {
  return {
    hasBlocks: blocks.length > 0,
    hasPrompts: blocks.some(isPrompt),
    hasThinking: blocks.some(isThinking),
    modelTexts: new Set(blocks.filter(isModelText).map(({ id }) => id)),
  }
}

/** The stored blocks of those runs of a subagent of which the stream has no text: a later run may be forwarded. */
function unforwardedIn({ id, threads, carried }: Conversation): ReadonlySet<string> {
  const { live, stored } = carried
  const hasOthers = [...live.modelTexts].some((text) => !stored.modelTexts.has(text))
  if (id === MAIN || hasOthers) return new Set()
  const isForwarded = (block: ConversationBlock) => live.modelTexts.has(block.id)
  const runs = runsIn(threads.stored).filter((blocks) => !blocks.some(isForwarded))
  return new Set(runs.flat().map((block) => block.id))
}

/** What a subagent did for each message that it was given. */
function runsIn({ blocks }: ConversationThread): readonly (readonly ConversationBlock[])[] {
  const runs: ConversationBlock[][] = [[]]
  for (const block of blocks) {
    if (block.type === 'user_message') runs.push([])
    runs.at(-1)?.push(block)
  }
  return runs
}

function compareBlock(
  pair: Pair<ConversationBlock>,
  { id: conversationId }: Conversation,
  unforwarded: ReadonlySet<string>,
  { program, comparison }: Context,
): void {
  const { live, stored } = pair
  if (isPending(live) && isPending(stored)) {
    if (!isEqual(live, stored)) comparison.project('unfinished', 'live')
    return
  }
  // A stream that does not forward a subagent's text does not tell which block of its message a call is.
  const isMoved = live.id !== stored.id && unforwarded.has(stored.id)
  if (isMoved) comparison.project('tool-use-place', 'live')
  compareFields(
    { kind: 'block', conversationId, id: stored.id },
    pair,
    {
      ignored: ['conversationId', ...(isMoved ? ['id'] : [])],
      maybeUnknown: maybeUnknown(stored, program),
    },
    comparison,
  )
}

/** Both sides of OpenCode tell when a call began and ended: one that lacks it has not seen the end. */
function maybeUnknown(
  { type, conversationId }: ConversationBlock,
  program: string | undefined,
): readonly string[] {
  const isTimed = program === 'opencode' && (type === 'tool_use' || type === 'tool_result')
  if (isTimed) return ['model']
  // Where nothing of the calling agent is forwarded, only the task tells of the call.
  const ofCall = type === 'subagent' && conversationId !== MAIN ? ['messageId'] : []
  return ['timestamp', 'model', 'durationMs', 'code', ...ofCall]
}

function missBlock(
  lone: { readonly block: ConversationBlock; readonly side: Side; readonly isUnforwarded: boolean },
  { id: conversationId, carried, parentIds }: Conversation,
  { program, version, comparison }: Context,
): void {
  const { block, side } = lone
  const other = side === 'live' ? carried.stored : carried.live
  const kind = projectionOf({ ...lone, isMain: conversationId === MAIN, version, other, parentIds }, program)
  if (kind) return comparison.project(kind, side)
  comparison.differ({ kind: 'missing-block', conversationId, id: block.id, [side]: block })
}
