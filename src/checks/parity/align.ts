import { omitUndefined, sortedFields } from '../../core/json/fields.ts'
import { compositeKey } from '../../core/json/lists.ts'
import {
  type BlockOf,
  type ConversationBlock,
  messageIdOf,
  subagentBlockId,
  toolResultBlockId,
} from '../../core/state/block.ts'
import {
  type ConversationThread,
  MAIN,
  type SessionConversationState,
  type SubagentState,
} from '../../core/state/session.ts'
import type { Coverage } from '../../programs/coverage.ts'

/** Whether the sides have different ids for the same blocks. */
export function needsAlignment(
  states: readonly SessionConversationState[],
  { isOwnId }: Pick<Coverage, 'isOwnId'>,
): boolean {
  if (!isOwnId) return false
  return states.some((state) =>
    [state, ...state.subagents].some(({ blocks }) => blocks.some(({ id }) => isOwnId(id))),
  )
}

/**
 * Returns the live state with the stored ids. A block that has no stored block with its id gets the id of the one
 * with the same content: the first with the first, and so on. Agents are paired by their own ids.
 */
export function alignIds(
  live: SessionConversationState,
  stored: SessionConversationState,
): SessionConversationState {
  const agents = agentIds(live.subagents, stored.subagents)
  const threads = new Map<string, ConversationThread>([
    [MAIN, stored],
    ...stored.subagents.map((agent): [string, ConversationThread] => [agent.toolUseId, agent]),
  ])
  const align = (thread: ConversationThread, id: string) => ({
    blocks: alignBlocks(thread, threads.get(id) ?? { blocks: [], usage: [] }, agents),
  })
  const subagents = live.subagents.map((agent): SubagentState => {
    const toolUseId = agents.get(agent.toolUseId) ?? agent.toolUseId
    const { parentConversationId: parent } = agent
    const parentConversationId = parent === undefined ? undefined : (agents.get(parent) ?? parent)
    return omitUndefined({ ...agent, ...align(agent, toolUseId), toolUseId, parentConversationId })
  })
  return { ...live, ...align(live, MAIN), subagents }
}

/** Returns the stored `toolUseId` of each live one. If the files lack the call of an agent, its own id stands for the call. */
function agentIds(
  live: readonly SubagentState[],
  stored: readonly SubagentState[],
): ReadonlyMap<string, string> {
  const byAgent = new Map(stored.map(({ agentId, toolUseId }) => [agentId, toolUseId]))
  const called = new Set(stored.map(({ toolUseId }) => toolUseId))
  const unlinked = stored.filter(({ toolUseId, agentId }) => toolUseId === agentId)
  const withPrompt = ({ toolUseId, prompt }: SubagentState) =>
    called.has(toolUseId) ? undefined : unlinked.find((agent) => agent.prompt === prompt)?.toolUseId
  return new Map(
    live.map((agent) => {
      const { agentId, toolUseId } = agent
      return [toolUseId, (agentId ? byAgent.get(agentId) : withPrompt(agent)) ?? toolUseId]
    }),
  )
}

function alignBlocks(
  live: ConversationThread,
  stored: ConversationThread,
  agents: ReadonlyMap<string, string>,
): readonly ConversationBlock[] {
  const storedIds = new Set(stored.blocks.map(({ id }) => id))
  const liveIds = new Set(live.blocks.map(({ id }) => id))
  const free = keyed(stored.blocks.filter(({ id }) => !liveIds.has(id)))
  const own = keyed(live.blocks.filter(({ id }) => !storedIds.has(id)))
  const partners = new Map([...own].map(([key, block]) => [block.id, free.get(key)]))
  return live.blocks.map((block) => withIds(block, partners, agents))
}

/** Keys the blocks by their content, and counts repeated content. A result follows its call. */
function keyed(blocks: readonly ConversationBlock[]): ReadonlyMap<string, ConversationBlock> {
  const counts = new Map<string, number>()
  const keys = new Map<string, ConversationBlock>()
  for (const block of blocks) {
    const content = contentKey(block)
    if (content === undefined) continue
    const count = counts.get(content) ?? 0
    counts.set(content, count + 1)
    keys.set(compositeKey(content, String(count)), block)
  }
  return keys
}

function contentKey(block: ConversationBlock): string | undefined {
  switch (block.type) {
    case 'tool_use':
      return JSON.stringify([block.type, block.toolName, block.input], (_, value) => sortedFields(value))
    case 'user_message':
    case 'assistant_text':
    case 'thinking':
      return JSON.stringify([block.type, block.content])
    case 'error':
      return JSON.stringify([block.type, block.message])
    case 'system':
      return JSON.stringify([block.type, block.subtype])
    default:
      return undefined
  }
}

function withIds(
  block: ConversationBlock,
  partners: ReadonlyMap<string, ConversationBlock | undefined>,
  agents: ReadonlyMap<string, string>,
): ConversationBlock {
  if (block.type === 'subagent') {
    const toolUseId = agents.get(block.toolUseId) ?? block.toolUseId
    return { ...block, toolUseId, id: subagentBlockId(toolUseId) }
  }
  if (block.type === 'tool_result') {
    const toolUseId = partners.get(block.toolUseId)?.id ?? block.toolUseId
    return { ...block, toolUseId, id: toolResultBlockId(toolUseId) }
  }
  const partner = partners.get(block.id)
  if (!partner) return block
  const id = partner.id
  if (block.type === 'tool_use') return { ...block, id, toolUseId: id }
  const messageId = messageIdOf(partner)
  return 'messageId' in block && messageId !== undefined ? { ...block, id, messageId } : { ...block, id }
}

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
