import { omitUndefined } from '../json/omit-undefined.ts'
import { type SubagentBlock, subagentBlockId } from '../state/block.ts'
import type { Batch } from './batch.ts'
import { changes, type SubagentThread } from './thread.ts'

/** What only the block has, and the subagent's state does not. */
export type BlockFacts = Pick<SubagentBlock, 'messageId' | 'timestamp'>

/** Brings the block in the parent's conversation in line with the subagent; with facts of the block it is put there if it is not. */
export function showInParent(batch: Batch, { id, facts }: SubagentThread, blockFacts?: BlockFacts): void {
  const parent =
    facts.parentConversationId === undefined ? undefined : batch.thread(facts.parentConversationId)
  if (!parent) return
  const found = parent.blocks.find(subagentBlockId(id))
  const before = found?.item.type === 'subagent' ? found.item : undefined
  const block: SubagentBlock = omitUndefined({
    type: 'subagent',
    id: subagentBlockId(id),
    conversationId: parent.id,
    toolUseId: id,
    status: facts.status,
    agentId: facts.agentId,
    name: facts.name,
    description: facts.description,
    input: facts.prompt ?? '',
    output: facts.output,
    durationMs: facts.durationMs,
    messageId: before?.messageId ?? blockFacts?.messageId,
    timestamp: before?.timestamp ?? blockFacts?.timestamp,
  })
  if (!found && blockFacts) parent.blocks.append(block)
  else if (found && changes(found.item, block)) parent.blocks.replace(found.at, block)
}
