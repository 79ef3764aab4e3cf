import { assignDefined, hasChanges, type Mutable, withChanges } from '../../json/fields.ts'
import { fieldNames } from '../../json/shape.ts'
import { type ConversationBlock, type SubagentBlock, subagentBlockId } from '../../state/block.ts'
import { isFinal, SUBAGENT_FACTS, type SubagentFacts } from '../../state/subagent.ts'
import type { Batch } from '../batch.ts'
import { closeBlock, finalizeBlock, finalizePending, reopenBlocks } from '../finalize.ts'
import type { PlacedItem } from '../owned-list.ts'
import type { StateFacts, SubagentThread, Thread } from '../thread.ts'

/** Facts that the subagent's block has and its state does not. */
export type BlockFacts = Pick<SubagentBlock, 'messageId' | 'timestamp' | 'inputText'>

/** The names of the facts that the subagent's state and its block share. */
export const SHARED_FACTS: readonly (keyof SubagentFacts)[] =
  /* @__PURE__ */ fieldNames<SubagentFacts>(SUBAGENT_FACTS)

/** Updates the subagent's block in its parent's conversation. A missing block is only created if the facts of the block are given. */
export function updateSubagentBlock(batch: Batch, subagent: SubagentThread, blockFacts?: BlockFacts): void {
  const { id, facts } = subagent
  const parent = parentOf(batch, subagent)
  if (!parent) return
  const blockId = subagentBlockId(id)
  const found = parent.blocks.find(blockId)
  const before = found?.item.type === 'subagent' ? found.item : undefined
  const block: Mutable<SubagentBlock> = {
    type: 'subagent',
    id: blockId,
    conversationId: parent.id,
    toolUseId: id,
    status: facts.status,
    input: facts.prompt ?? '',
  }
  assignDefined<keyof SubagentFacts, SubagentFacts>(block, facts, SHARED_FACTS)
  const messageId = before?.messageId ?? blockFacts?.messageId
  const timestamp = before?.timestamp ?? blockFacts?.timestamp
  if (messageId !== undefined) block.messageId = messageId
  if (timestamp !== undefined) block.timestamp = timestamp
  const inputText = isAnnounced(subagent) ? streamedInput(facts, before, blockFacts) : undefined
  if (inputText !== undefined) block.inputText = inputText
  if (!found && blockFacts) addBlock(batch, parent, block)
  else if (found && (hasChanges(found.item, block) || inputText !== before?.inputText))
    parent.blocks.replace(found.index, block)
}

/**
 * Shows a new subagent. A call that was shown as that of a tool turns out to start it, and keeps its place. The agents
 * of a workflow are below the call that launched them.
 */
function addBlock(batch: Batch, parent: Thread, block: SubagentBlock): void {
  const call = callOf(block.toolUseId, parent)
  if (!call) return addBelowLaunch(batch, parent, block)
  closeBlock(batch, parent, call.item.id)
  batch.replaceBlock(parent, call.index, block)
}

/** Returns the block of a tool call that stands under the call's id. Another call's block may have that id, too. */
function callOf(toolUseId: string, { blocks }: Thread): PlacedItem<ConversationBlock> | undefined {
  const found = blocks.find(toolUseId)
  return found?.item.type === 'tool_use' && found.item.toolUseId === toolUseId ? found : undefined
}

function addBelowLaunch(batch: Batch, parent: Thread, block: SubagentBlock): void {
  const { launchedBy } = block
  const isOfLaunch = (each: ConversationBlock) =>
    each.id === launchedBy || (each.type === 'subagent' && each.launchedBy === launchedBy)
  const last = launchedBy === undefined ? -1 : parent.blocks.items.findLastIndex(isOfLaunch)
  if (last < 0) batch.appendBlock(parent, block)
  else batch.insertBlock(parent, block, last + 1)
}

/** Moves the block of a subagent that has stood for its own call to the place of the call. */
export function moveSubagentBlock(batch: Batch, formerId: string, subagent: SubagentThread): void {
  const { id } = subagent
  const parent = parentOf(batch, subagent)
  const found = parent?.blocks.find(subagentBlockId(formerId))
  if (!parent || found?.item.type !== 'subagent') return
  const block = withChanges(found.item, { id: subagentBlockId(id), toolUseId: id })
  if (!callOf(id, parent)) return batch.replaceBlock(parent, found.index, block)
  parent.blocks.remove(found.index)
  addBlock(batch, parent, block)
}

/** Removes the block of a subagent that has become part of another one. */
export function removeSubagentBlock(batch: Batch, subagent: SubagentThread): void {
  const blocks = parentOf(batch, subagent)?.blocks
  const found = blocks?.find(subagentBlockId(subagent.id))
  if (found) blocks?.remove(found.index)
}

/** Returns the conversation that has the subagent's block. An empty id is one as any other. */
function parentOf(batch: Batch, { facts }: SubagentThread): Thread | undefined {
  const { parentConversationId: id } = facts
  return id === undefined ? undefined : batch.thread(id)
}

/** An upsert replaces the text, as it does for other calls. No announcement changes the text of an agent that was cut. */
function streamedInput(
  { status }: StateFacts,
  before: BlockFacts | undefined,
  blockFacts: BlockFacts | undefined,
): string | undefined {
  return (status === 'pending' ? (blockFacts ?? before) : before)?.inputText
}

/** The end of a run. */
export interface RunEnd extends Pick<StateFacts, 'runId' | 'output' | 'durationMs'> {
  readonly status: 'success' | 'error'
}

/** Ends a run: the facts replace earlier ones, and pending blocks become final. Returns the ids of those blocks. */
export function endRun(subagent: SubagentThread, end: RunEnd): readonly string[] {
  subagent.update(end)
  return finalizePending(subagent, blockStatus(end))
}

/** Ends a run so that `continueRun` can undo it. The id of the agent's own block says that the agent was only announced. */
export function cutRun(subagent: SubagentThread, end: RunEnd): void {
  const announced = isAnnounced(subagent) ? [subagentBlockId(subagent.id)] : []
  subagent.update({ openBlocks: [...announced, ...endRun(subagent, end)] })
}

/** Undoes the cut of a run, and returns the status that the cut gave. Any other run stays as it is. */
export function continueRun(subagent: SubagentThread): RunEnd['status'] | undefined {
  const { status, openBlocks } = subagent.facts
  if (!openBlocks || !isFinal(status)) return undefined
  const before = isAnnounced(subagent) ? 'pending' : 'running'
  reopenBlocks(subagent, openBlocks)
  subagent.forget({ openBlocks: undefined })
  subagent.update({ status: before })
  return status
}

/** Ends the blocks that a cut made final with the run's own end. */
export function endCutBlocks(subagent: SubagentThread, end: RunEnd): void {
  const { openBlocks } = subagent.facts
  if (!openBlocks) return
  for (const id of openBlocks) finalizeBlock(subagent, id, blockStatus(end))
  subagent.forget({ openBlocks: undefined })
}

function blockStatus({ status }: RunEnd): 'complete' | 'error' {
  return status === 'error' ? 'error' : 'complete'
}

/** Whether the subagent has not started yet, or had not when a cut ended it. */
export function isAnnounced({ id, facts }: SubagentThread): boolean {
  return facts.status === 'pending' || facts.openBlocks?.includes(subagentBlockId(id)) === true
}
