import type { EventOf, SessionEvent } from '../events/event.ts'
import { isObject } from '../json/values.ts'
import type { AssistantTextBlock, ConversationBlock, ThinkingBlock } from '../state/block.ts'
import { MAIN, type SessionConversationState } from '../state/session.ts'
import { MAX_CONTENT } from './blocks.ts'
import { type Mutable, moveCache, TAIL } from './owned-list.ts'

/**
 * Returns the state after the commonest event of a live stream, some text for a pending block near the end of its
 * conversation, without a batch; undefined for any other event. The same as a batch gives, as the laws hold it.
 */
export function quickDelta(
  state: SessionConversationState,
  event: SessionEvent,
): SessionConversationState | undefined {
  try {
    return isText(event) ? afterText(state, event) : undefined
  } catch {
    // A getter, a proxy, or a state that no reducer made: the batch says what is wrong.
    return undefined
  }
}

function afterText(
  state: SessionConversationState,
  event: EventOf<'block:delta'>,
): SessionConversationState | undefined {
  const { conversationId = MAIN } = event
  if (conversationId === MAIN) {
    const blocks = withDelta(state.blocks, event)
    return blocks && withBlocks(state, blocks)
  }
  const at = tailIndex(state.subagents, 'toolUseId', conversationId)
  const subagent = state.subagents[at]
  const blocks = subagent && withDelta(subagent.blocks, event)
  if (!blocks) return undefined
  const subagents = [...state.subagents]
  moveCache(state.subagents, subagents)
  subagents[at] = Object.freeze({ ...subagent, blocks })
  return Object.freeze({ ...state, subagents })
}

type TextBlock = AssistantTextBlock | ThinkingBlock

/** How many fields there are, inherited ones too. `Object.keys` makes a list of them, which each delta would pay for. */
function fieldCount(value: object): number {
  let count = 0
  for (const _ in value) count += 1
  return count
}

/**
 * Only what a guard would let through, and what has something to add. What has further fields, or is of a class and may hide some,
 * is for the guard to look at.
 */
function isText(event: unknown): event is EventOf<'block:delta'> {
  if (!isObject(event)) return false
  const { constructor: kind, type, blockId, delta, conversationId, timestamp } = event
  const count = 3 + (conversationId === undefined ? 0 : 1) + (timestamp === undefined ? 0 : 1)
  return (
    type === 'block:delta' &&
    kind === Object &&
    fieldCount(event) === count &&
    typeof blockId === 'string' &&
    typeof delta === 'string' &&
    delta !== '' &&
    (conversationId === undefined || typeof conversationId === 'string') &&
    (timestamp === undefined || typeof timestamp === 'string')
  )
}

function withDelta(
  blocks: readonly ConversationBlock[],
  { blockId, delta }: EventOf<'block:delta'>,
): readonly ConversationBlock[] | undefined {
  const at = tailIndex(blocks, 'id', blockId)
  const block = blocks[at]
  if (block?.type !== 'assistant_text' && block?.type !== 'thinking') return undefined
  if (block.status !== 'pending' || block.content.length + delta.length > MAX_CONTENT) return undefined
  const copy = blocks.slice()
  // A shorter list is never looked up by an index.
  if (blocks.length > TAIL) moveCache(blocks, copy)
  copy[at] = withContent(block, block.content + delta)
  return copy
}

// V8 copies frozen objects by spread several times slower than field by field, which costs as much as all the rest here. Where
// there are fields that are not named, the spread it is.

function withBlocks(
  state: SessionConversationState,
  blocks: readonly ConversationBlock[],
): SessionConversationState {
  if (fieldCount(state) !== 4) return Object.freeze({ ...state, blocks })
  const { usage, subagents, session } = state
  return Object.freeze({ blocks, usage, subagents, session })
}

function withContent(block: TextBlock, content: string): ConversationBlock {
  const { id, type, status, conversationId, messageId, timestamp, model } = block
  const copy: Mutable<TextBlock> = { id, type, status, content, conversationId }
  if (messageId !== undefined) copy.messageId = messageId
  if (timestamp !== undefined) copy.timestamp = timestamp
  if (model !== undefined) copy.model = model
  return Object.freeze(fieldCount(block) === fieldCount(copy) ? copy : { ...block, content })
}

function tailIndex<Key extends string>(
  items: readonly { readonly [Each in Key]: string }[],
  key: Key,
  id: string,
): number {
  const last = items.length - 1
  for (let at = last; at >= 0 && last - at < TAIL; at -= 1) if (items[at]?.[key] === id) return at
  return -1
}
