import { withChanges } from '../json/fields.ts'
import type { Batch } from './batch.ts'
import { SubagentThread, type Thread } from './thread.ts'

/**
 * Makes the pending blocks of a conversation final, and returns their ids. Subagents' blocks keep their status,
 * because a background agent outlives a turn. A request that nobody answers has not failed: it is withdrawn.
 */
export function finalizePending(thread: Thread, status: 'complete' | 'error'): readonly string[] {
  const ids: string[] = []
  for (const { index, item } of thread.pendingBlocks()) {
    if (item.type === 'subagent') continue
    thread.blocks.replace(index, withChanges(item, { status: item.type === 'request' ? 'complete' : status }))
    ids.push(item.id)
  }
  return ids
}

/** Makes a block final that is no subagent's and no request. */
export function finalizeBlock(thread: Thread, blockId: string, status: 'complete' | 'error'): void {
  const found = thread.blocks.find(blockId)
  if (!found || found.item.type === 'subagent' || found.item.type === 'request') return
  if (found.item.status !== status) thread.blocks.replace(found.index, withChanges(found.item, { status }))
}

/** Makes the blocks that a cut made final pending again. */
export function reopenBlocks(thread: Thread, openBlocks: readonly string[]): void {
  for (const id of openBlocks) {
    const found = thread.blocks.find(id)
    if (!found || found.item.type === 'subagent') continue
    thread.blocks.replace(found.index, withChanges(found.item, { status: 'pending' }))
  }
}

/** Takes a block that has ended by itself, or is gone, off the list of those that a cut made final. */
export function closeBlock(batch: Batch, thread: Thread, blockId: string): void {
  const { openBlocks } = thread instanceof SubagentThread ? thread.facts : batch.turn
  if (!openBlocks?.includes(blockId)) return
  const others = openBlocks.filter((id) => id !== blockId)
  if (thread instanceof SubagentThread) thread.update({ openBlocks: others })
  else batch.turn = Object.freeze({ ...batch.turn, openBlocks: others })
}
