import { omitUndefined } from '../../../core/json/fields.ts'
import { type BlockOf, type ConversationBlock, messageIdOf } from '../../../core/state/block.ts'
import type { ConversationThread, SessionConversationState } from '../../../core/state/session.ts'
import { alignIds } from './align-ids.ts'

type TextBlock = BlockOf<'assistant_text' | 'thinking'>

/** Returns the state with each neighbouring texts of one message as one text, because a protocol may not show where a text ends. */
export function mergeTexts(state: SessionConversationState): SessionConversationState {
  return {
    ...state,
    blocks: mergedBlocks(state),
    subagents: state.subagents.map((agent) => ({ ...agent, blocks: mergedBlocks(agent) })),
  }
}

function mergedBlocks({ blocks }: ConversationThread): readonly ConversationBlock[] {
  const merged: ConversationBlock[] = []
  for (const block of blocks) {
    const last = merged.at(-1)
    if (last && isText(last) && isText(block) && isSameText(last, block))
      merged[merged.length - 1] = { ...last, content: last.content + block.content }
    else merged.push(block)
  }
  return merged
}

function isText(block: ConversationBlock): block is TextBlock {
  return block.type === 'assistant_text' || (block.type === 'thinking' && block.redacted !== true)
}

function isSameText(left: TextBlock, right: TextBlock): boolean {
  return left.type === right.type && left.messageId !== undefined && left.messageId === right.messageId
}

/** The beginning of the ids of live blocks that have no stored one with the same content. */
const UNPAIRED = 'live:'

/**
 * Returns the live state with the stored ids. The content alone pairs texts, messages and notes, also where they have
 * the same ids. A call has the model's id on both sides, and gets the message that only the stored side names.
 */
export function alignByContent(
  live: SessionConversationState,
  stored: SessionConversationState,
): SessionConversationState {
  const unpaired = (thread: ConversationThread) => thread.blocks.map(withoutId)
  const renamed = {
    ...live,
    blocks: unpaired(live),
    subagents: live.subagents.map((agent) => ({ ...agent, blocks: unpaired(agent) })),
  }
  const aligned = alignIds(renamed, stored)
  const threads = new Map(
    stored.subagents.map((agent): [string, ConversationThread] => [agent.toolUseId, agent]),
  )
  return {
    ...aligned,
    blocks: withMessages(aligned, stored),
    subagents: aligned.subagents.map((agent) => {
      const blocks = withMessages(agent, threads.get(agent.toolUseId))
      return { ...agent, blocks }
    }),
  }
}

function withoutId(block: ConversationBlock): ConversationBlock {
  const hasOwnId = !('toolUseId' in block)
  return hasOwnId ? { ...block, id: UNPAIRED + block.id } : block
}

function withMessages(
  { blocks }: ConversationThread,
  stored: ConversationThread | undefined,
): readonly ConversationBlock[] {
  const messages = new Map(stored?.blocks.map((block) => [block.id, messageIdOf(block)]))
  return blocks.map((block) =>
    (block.type === 'tool_use' || block.type === 'subagent') && block.messageId === undefined
      ? omitUndefined({ ...block, messageId: messages.get(block.id) })
      : block,
  )
}
