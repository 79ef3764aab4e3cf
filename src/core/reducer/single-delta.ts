import type { EventOf, SessionEvent } from '../events/event.ts'
import { isPlainDelta } from '../events/plain-event.ts'
import type { Mutable } from '../json/mutable.ts'
import { fieldCount } from '../json/values.ts'
import type { ConversationBlock } from '../state/block.ts'
import { MAIN, type SessionConversationState } from '../state/session.ts'
import { hasRoom, type StreamedBlock, takesDeltas } from './blocks.ts'
import { keepCallIndex, takeCallIndex } from './call-index.ts'
import { copyBlock } from './copy-block.ts'
import { moveCache, TAIL, tailIndex } from './owned-list.ts'

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
  if (conversationId !== MAIN) return withSubagentDelta(state, conversationId, event)
  const blocks = withBlockDelta(state.blocks, event)
  return blocks && withBlocks(state, blocks)
}

function withSubagentDelta(
  state: SessionConversationState,
  toolUseId: string,
  event: EventOf<'block:delta'>,
): SessionConversationState | undefined {
  const index = tailIndex(state.subagents, 'toolUseId', toolUseId)
  const subagent = state.subagents[index]
  const blocks = subagent && withBlockDelta(subagent.blocks, event)
  if (!blocks) return undefined
  const subagents = [...state.subagents]
  moveCache(state.subagents, subagents)
  keepCallIndex(subagents, takeCallIndex(state.subagents))
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
// only an object with further fields is spread. V8 makes one function of what a delta runs only while all of that is short: the
// rarer ways have functions of their own.

function withBlocks(
  state: SessionConversationState,
  blocks: readonly ConversationBlock[],
): SessionConversationState {
  const { usage, turn, subagents, session } = state
  const copy: Mutable<SessionConversationState> = { blocks, usage, turn, subagents, session }
  return Object.freeze(fieldCount(state) === REQUIRED_FIELDS ? copy : withOptionalFields(copy, state))
}

/** The fields that each state has. */
const REQUIRED_FIELDS = 5

function withOptionalFields(
  copy: Mutable<SessionConversationState>,
  state: SessionConversationState,
): SessionConversationState {
  if (state.todos !== undefined) copy.todos = state.todos
  if (state.branches !== undefined) copy.branches = state.branches
  return fieldCount(copy) === fieldCount(state) ? copy : { ...state, blocks: copy.blocks }
}

function withDelta(block: StreamedBlock, delta: string): ConversationBlock {
  const copy = copyBlock(block, block.conversationId)
  if (copy.type === 'tool_use' || copy.type === 'subagent') copy.inputText += delta
  else if ('content' in copy) copy.content += delta
  return Object.freeze(copy)
}
