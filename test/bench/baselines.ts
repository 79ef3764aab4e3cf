import { produce } from 'immer'
import type { ConversationBlock, SessionConversationState, SessionEvent } from '../../src/entries/index.ts'

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

/** A careful reducer by hand, for a delta of main: it searches from the end, and copies what changes. */
export function carefulDelta(
  state: SessionConversationState,
  event: Extract<SessionEvent, { type: 'block:delta' }>,
): SessionConversationState {
  const at = state.blocks.findLastIndex(({ id }) => id === event.blockId)
  const block = state.blocks[at]
  if (!block || !('content' in block)) return state
  const blocks = state.blocks.slice()
  blocks[at] = { ...block, content: `${block.content ?? ''}${event.delta}` } as ConversationBlock
  return { ...state, blocks }
}

/** Like `carefulDelta`, with an immer recipe. The search is outside of the draft, because a search in it makes a draft of each block. */
export function carefulImmerDelta(
  state: SessionConversationState,
  event: Extract<SessionEvent, { type: 'block:delta' }>,
): SessionConversationState {
  const at = state.blocks.findLastIndex(({ id }) => id === event.blockId)
  return produce(state, (draft) => {
    const block = draft.blocks[at]
    if (block && 'content' in block) block.content = `${block.content ?? ''}${event.delta}`
  })
}

/** An immer recipe for each event, frozen as immer does it. */
export const immerReduce: Reduce = (state, event) =>
  produce(state, (draft) => {
    mutate(draft as MutableState, event)
  })

/** The limit: a loop that changes everything in place, and copies a block the fast way. It knows the events of the workloads alone. */
export function mutableReduce(events: readonly SessionEvent[]): MutableState {
  const state: MutableState = { blocks: [], usage: [], subagents: [] }
  const threads = new Map<string, MutableThread>([['main', { agent: state, positions: new Map() }]])
  for (const event of events) {
    const thread = threads.get(conversationOf(event)) ?? openThread(conversationOf(event), state, threads)
    if (event.type === 'block:upsert') upsert(thread, event.block.id, quickCopy(event))
    else if (event.type === 'block:delta') {
      const block = thread.agent.blocks[thread.positions.get(event.blockId) ?? -1]
      if (block) block.content += event.delta
    } else if (event.type === 'usage:reported')
      thread.agent.usage.push({ messageId: event.messageId, ...event.usage })
    else if (event.type === 'subagent:spawned') {
      const { toolUseId, prompt } = event
      const child = threads.get(toolUseId) ?? openThread(toolUseId, state, threads)
      Object.assign(child.agent, { prompt, parentConversationId: conversationOf(event) })
      const id = `subagent:${toolUseId}`
      upsert(thread, id, { id, status: 'running', content: prompt })
      child.parent = thread
    } else if (event.type === 'subagent:completed') complete(threads.get(event.toolUseId), event.toolUseId)
  }
  return state
}

/** The limit of a batch of deltas for few blocks: it copies the list once, and each block that it changes once in a row. */
export function mutableDeltas(state: SessionConversationState, events: readonly SessionEvent[]): unknown {
  const blocks = [...state.blocks] as unknown as MutableBlock[]
  let own: MutableBlock | undefined
  for (const event of events) {
    if (event.type !== 'block:delta') continue
    if (own?.id !== event.blockId) {
      const at = blocks.findLastIndex(({ id }) => id === event.blockId)
      own = { ...(blocks[at] as MutableBlock) }
      blocks[at] = own
    }
    own.content += event.delta
  }
  return { ...state, blocks }
}

interface MutableThread {
  readonly agent: { readonly blocks: MutableBlock[]; readonly usage: unknown[]; status?: string }
  readonly positions: Map<string, number>
  parent?: MutableThread
}

function openThread(
  toolUseId: string,
  state: MutableState,
  threads: Map<string, MutableThread>,
): MutableThread {
  const agent = { toolUseId, blocks: [], usage: [], status: 'running' }
  state.subagents.push(agent)
  const thread: MutableThread = { agent, positions: new Map() }
  threads.set(toolUseId, thread)
  return thread
}

function upsert({ agent: { blocks }, positions }: MutableThread, id: string, block: MutableBlock): void {
  const at = positions.get(id)
  if (at === undefined) {
    positions.set(id, blocks.length)
    blocks.push(block)
  } else blocks[at] = block
}

function complete(thread: MutableThread | undefined, toolUseId: string): void {
  if (!thread) return
  thread.agent.status = 'success'
  for (const block of thread.agent.blocks) if (block.status === 'pending') block.status = 'complete'
  const block = thread.parent?.agent.blocks[thread.parent.positions.get(`subagent:${toolUseId}`) ?? -1]
  if (block) block.status = 'success'
}

interface MutableBlock {
  id: string
  status: string
  content: string
}
interface MutableState {
  blocks: MutableBlock[]
  usage: unknown[]
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
