import { produce } from 'immer'
import type { ConversationBlock, SessionConversationState, SessionEvent } from '../../src/index.ts'

/** What the reducer is measured against; each of them knows upserts, deltas and idle alone, in main and in subagents. */
type Reduce = (state: SessionConversationState, event: SessionEvent) => SessionConversationState

/** The reducer of the origin document, literally: find, copy, replace. */
export const spreadReduce: Reduce = (state, event) => {
  const conversationId = conversationOf(event)
  if (conversationId === 'main') {
    const blocks = spreadBlocks(state.blocks, event)
    return blocks === state.blocks ? state : { ...state, blocks }
  }
  const at = state.subagents.findIndex(({ toolUseId }) => toolUseId === conversationId)
  const subagent = state.subagents[at] ?? {
    toolUseId: conversationId,
    blocks: [],
    usage: [],
    status: 'running' as const,
  }
  const blocks = spreadBlocks(subagent.blocks, event)
  if (blocks === subagent.blocks) return state
  if (at < 0) return { ...state, subagents: [...state.subagents, { ...subagent, blocks }] }
  const subagents = [...state.subagents]
  subagents[at] = { ...subagent, blocks }
  return { ...state, subagents }
}

type Blocks = readonly ConversationBlock[]

function spreadBlocks(blocks: Blocks, event: SessionEvent): Blocks {
  if (event.type === 'block:upsert') {
    const block = stored(event)
    const at = blocks.findIndex(({ id }) => id === block.id)
    if (at < 0) return [...blocks, block]
    const replaced = [...blocks]
    replaced[at] = block
    return replaced
  }
  if (event.type === 'block:delta') {
    const block = blocks.find(({ id }) => id === event.blockId)
    if (event.delta === '' || !block || !('content' in block)) return blocks
    const at = blocks.findIndex(({ id }) => id === event.blockId)
    const updated = [...blocks]
    updated[at] = { ...block, content: `${block.content ?? ''}${event.delta}` } as ConversationBlock
    return updated
  }
  return blocks.map((block) => (block.status === 'pending' ? ended(block) : block))
}

/** An immer recipe for each event, frozen as immer does it. */
export const immerReduce: Reduce = (state, event) =>
  produce(state, (draft) => {
    mutate(draft as MutableState, event)
  })

/** The limit: a loop that changes everything in place, and copies a block the fast way. */
export function mutableReduce(events: readonly SessionEvent[]): MutableState {
  const state: MutableState = { blocks: [], subagents: [] }
  const threads = new Map([['main', { blocks: state.blocks, positions: new Map<string, number>() }]])
  for (const event of events) {
    const id = conversationOf(event)
    let thread = threads.get(id)
    if (!thread) {
      const subagent = { toolUseId: id, blocks: [] as MutableBlock[] }
      state.subagents.push(subagent)
      thread = { blocks: subagent.blocks, positions: new Map() }
      threads.set(id, thread)
    }
    const { blocks, positions } = thread
    if (event.type === 'block:upsert') {
      const at = positions.get(event.block.id)
      if (at === undefined) {
        positions.set(event.block.id, blocks.length)
        blocks.push(quickCopy(event))
      } else blocks[at] = quickCopy(event)
    } else if (event.type === 'block:delta') {
      const block = blocks[positions.get(event.blockId) ?? -1]
      if (block) block.content += event.delta
    }
  }
  return state
}

interface MutableBlock {
  id: string
  status: string
  content: string
}
interface MutableState {
  blocks: MutableBlock[]
  subagents: { toolUseId: string; blocks: MutableBlock[] }[]
}

function mutate(state: MutableState, event: SessionEvent): void {
  const id = conversationOf(event)
  const thread = id === 'main' ? state : state.subagents.find(({ toolUseId }) => toolUseId === id)
  if (!thread) {
    state.subagents.push({ toolUseId: id, blocks: [], usage: [], status: 'running' } as never)
    return mutate(state, event)
  }
  const { blocks } = thread
  if (event.type === 'block:upsert') {
    const at = blocks.findIndex((block) => block.id === event.block.id)
    if (at < 0) blocks.push(stored(event) as MutableBlock)
    else blocks[at] = stored(event) as MutableBlock
  } else if (event.type === 'block:delta') {
    const block = blocks.find((each) => each.id === event.blockId)
    if (block) block.content += event.delta
  } else for (const block of blocks) if (block.status === 'pending') block.status = 'complete'
}

function conversationOf(event: SessionEvent): string {
  return event.conversationId ?? 'main'
}

function stored(event: Extract<SessionEvent, { type: 'block:upsert' }>): ConversationBlock {
  return { ...event.block, conversationId: conversationOf(event) } as ConversationBlock
}

/** The copy that V8 makes fastest: no field follows the spread. */
function quickCopy(event: Extract<SessionEvent, { type: 'block:upsert' }>): MutableBlock {
  return { conversationId: conversationOf(event), ...event.block } as unknown as MutableBlock
}

function ended(block: ConversationBlock): ConversationBlock {
  return { ...block, status: 'complete' } as ConversationBlock
}
