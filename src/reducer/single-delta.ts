import type { EventOf, SessionEvent } from '../events/event.ts'
import { isPlainDelta } from '../events/plain-event.ts'
import { fieldCount } from '../json/field-count.ts'
import type { Mutable } from '../json/mutable.ts'
import type { ConversationBlock } from '../state/block.ts'
import { MAIN, type SessionConversationState } from '../state/session.ts'
import { hasRoom, type StreamedBlock, takesDeltas } from './blocks.ts'
import { copyBlock } from './copy-block.ts'
import { moveCache, TAIL } from './owned-list.ts'

/**
 * The batch of the commonest event in a live stream: one delta for a pending block near the end of its conversation. It makes the
 * copies that a `Batch` makes, without the lists and look-ups of a `Batch`, which take five times as long. Returns undefined for
 * every other event.
 */
export function applySingleDelta(
  state: SessionConversationState,
  event: SessionEvent,
): SessionConversationState | undefined {
  if (!isPlainDelta(event) || event.delta === '') return undefined
  const { conversationId = MAIN } = event
  if (conversationId === MAIN) {
    const blocks = withBlockDelta(state.blocks, event)
    return blocks && withBlocks(state, blocks)
  }
  const index = tailIndex(state.subagents, 'toolUseId', conversationId)
  const subagent = state.subagents[index]
  const blocks = subagent && withBlockDelta(subagent.blocks, event)
  if (!blocks) return undefined
  const subagents = [...state.subagents]
  moveCache(state.subagents, subagents)
  subagents[index] = Object.freeze({ ...subagent, blocks })
  return Object.freeze({ ...state, subagents })
}

function withBlockDelta(
  blocks: readonly ConversationBlock[],
  { blockId, delta }: EventOf<'block:delta'>,
): readonly ConversationBlock[] | undefined {
  const index = tailIndex(blocks, 'id', blockId)
  const block = blocks[index]
  if (block?.status !== 'pending' || !takesDeltas(block) || !hasRoom(block, delta)) return undefined
  const copy = blocks.slice()
  // No search of a shorter list uses a cache.
  if (blocks.length > TAIL) moveCache(blocks, copy)
  copy[index] = withDelta(block, delta)
  return copy
}

// V8 copies a frozen object by spread several times slower than field by field. So the known fields are copied one by one, and
// only an object with further fields is spread.

function withBlocks(
  state: SessionConversationState,
  blocks: readonly ConversationBlock[],
): SessionConversationState {
  const { usage, todos, turn, subagents, session, branches } = state
  const copy: Mutable<SessionConversationState> = { blocks, usage, turn, subagents, session }
  if (todos !== undefined) copy.todos = todos
  if (branches !== undefined) copy.branches = branches
  const count = REQUIRED_FIELDS + Number(todos !== undefined) + Number(branches !== undefined)
  return Object.freeze(fieldCount(state) === count ? copy : { ...state, blocks })
}

/** The fields that each state has. */
const REQUIRED_FIELDS = 5

function withDelta(block: StreamedBlock, delta: string): ConversationBlock {
  const copy = copyBlock(block, block.conversationId)
  if (copy.type === 'tool_use') copy.inputText += delta
  else if ('content' in copy) copy.content += delta
  return Object.freeze(copy)
}

function tailIndex<Key extends string>(
  items: readonly { readonly [Each in Key]: string }[],
  key: Key,
  id: string,
): number {
  const first = Math.max(0, items.length - TAIL)
  for (let index = items.length - 1; index >= first; index -= 1) if (items[index]?.[key] === id) return index
  return -1
}
