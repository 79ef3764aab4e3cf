import type { ConversationBlock } from '../../core/state/block.ts'
import { MAIN, type SessionConversationState, type SubagentState } from '../../core/state/session.ts'

/** A block that is new or has changed. */
export interface BlockChange {
  readonly before: ConversationBlock | undefined
  readonly after: ConversationBlock
}

/** A conversation that is new or has changed. */
export interface ThreadChange {
  readonly conversationId: string
  readonly blocks: readonly ConversationBlock[]
  /** Undefined if blocks are no longer there, or no longer in their order. */
  readonly changes: readonly BlockChange[] | undefined
  /** Absent for main. */
  readonly agent?: { readonly before: SubagentState | undefined; readonly after: SubagentState }
}

/** Returns the conversations that are new or have changed. `isGone` says whether a conversation with blocks is no longer there. */
export function threadChanges(
  before: SessionConversationState,
  after: SessionConversationState,
): { readonly threads: readonly ThreadChange[]; readonly isGone: boolean } {
  const threads: ThreadChange[] = []
  if (before.blocks !== after.blocks) threads.push(threadChange(MAIN, before.blocks, after.blocks))
  if (before.subagents === after.subagents) return { threads, isGone: false }
  const known = new Map(before.subagents.map((agent) => [agent.toolUseId, agent]))
  for (const agent of after.subagents) {
    const last = known.get(agent.toolUseId)
    known.delete(agent.toolUseId)
    if (last !== agent)
      threads.push({
        ...threadChange(agent.toolUseId, last?.blocks ?? [], agent.blocks),
        agent: { before: last, after: agent },
      })
  }
  return { threads, isGone: [...known.values()].some(({ blocks }) => blocks.length > 0) }
}

function threadChange(
  conversationId: string,
  before: readonly ConversationBlock[],
  blocks: readonly ConversationBlock[],
): ThreadChange {
  return { conversationId, blocks, changes: blockChanges(before, blocks) }
}

function blockChanges(
  before: readonly ConversationBlock[],
  after: readonly ConversationBlock[],
): readonly BlockChange[] | undefined {
  if (before === after) return []
  if (before.length > after.length) return undefined
  const changes: BlockChange[] = []
  for (let at = 0; at < after.length; at += 1) {
    const [known, block] = [before[at], after[at]]
    if (block === known || block === undefined) continue
    if (known && (known.id !== block.id || keyOf(known) !== keyOf(block))) return undefined
    if (!known && isAfterResult(after, at)) return undefined
    changes.push({ before: known, after: block })
  }
  return changes
}

/** A block with another key has its message elsewhere. */
function keyOf(block: ConversationBlock): string {
  return 'toolUseId' in block && block.type !== 'request' ? `${block.type} ${block.toolUseId}` : block.type
}

/** Whether the block is a call whose result is before it. That result had its own place. */
function isAfterResult(blocks: readonly ConversationBlock[], at: number): boolean {
  const call = blocks[at]
  if (call?.type !== 'tool_use') return false
  for (let before = 0; before < at; before += 1) {
    const block = blocks[before]
    if (block?.type === 'tool_result' && block.toolUseId === call.toolUseId) return true
  }
  return false
}
