import { omitUndefined, shallowCopy, withChanges } from '../../json/fields.ts'
import { type ConversationBlock, subagentBlockId } from '../../state/block.ts'
import type { MessageUsage } from '../../state/session.ts'
import { isFinal } from '../../state/subagent.ts'
import type { Batch } from '../batch.ts'
import { finalizePending } from '../finalize.ts'
import type { ReducerIssueCode } from '../issue.ts'
import type { StateFacts, SubagentThread, Thread } from '../thread.ts'
import { addUsage } from '../usage.ts'
import { continueRun, cutRun, moveSubagentBlock, removeSubagentBlock } from './subagent-block.ts'

/** A call that starts an agent. A new subagent gets the status. */
interface Call extends Pick<StateFacts, 'toolUseId' | 'status'> {
  readonly agentId: string | undefined
  /** Further facts of a new subagent. */
  readonly facts?: Partial<StateFacts>
}

/**
 * Links a call's subagent to the id of its agent, because an event names both. A placeholder under the agent's id
 * becomes part of the subagent. A subagent with a spawn of its own under that id is another agent, and stays.
 */
export function linkAgentId(
  batch: Batch,
  subagent: SubagentThread,
  agentId: string,
): ReducerIssueCode | undefined {
  if (subagent.facts.agentId === agentId) return undefined
  if (subagent.facts.agentId !== undefined) return 'agent-id-conflict'
  const placeholder = findPlaceholder(batch, agentId)
  const owner = batch.subagentByAgentId(agentId)
  if (owner && owner !== placeholder) return 'agent-id-conflict'
  if (placeholder && placeholder !== subagent) {
    if (isWithin(batch, subagent.id, (id) => id === placeholder.id)) return 'cycle'
    mergePlaceholder(batch, placeholder, subagent)
  }
  subagent.update({ agentId })
  return undefined
}

/** Returns the call's subagent. If there is none, a placeholder under the agent's id becomes it, or a new one is created. */
export function getOrCreateSubagent(
  batch: Batch,
  { toolUseId, agentId, status, facts }: Call,
): SubagentThread {
  const subagent = batch.subagentByToolUseId(toolUseId)
  if (subagent) return subagent
  const placeholder = findPlaceholder(batch, agentId)
  if (!placeholder) return batch.createSubagent({ toolUseId, status, ...facts })
  const renamed = batch.replaceSubagent(placeholder, { ...placeholder.facts, toolUseId })
  moveConversation(batch, placeholder, renamed)
  return renamed
}

/** Whether one subagent under the call's id and the former id would be nested in itself, or in that conversation of its own. */
export function isFormerNested(
  batch: Batch,
  { toolUseId, formerId, parentId }: Pick<Call, 'toolUseId'> & { formerId: string; parentId: string },
): boolean {
  const isIn = (place: string, ancestor: string) => isWithin(batch, place, (id) => id === ancestor)
  return isIn(parentId, formerId) || isIn(toolUseId, formerId) || isIn(formerId, toolUseId)
}

/** Makes the subagent under the former id that of the call. If the call has one already, both become one. */
export function takeFormer(batch: Batch, toolUseId: string, formerId: string): void {
  const former = batch.subagentByToolUseId(formerId)
  if (!former) return
  const called = batch.subagentByToolUseId(toolUseId)
  if (called) {
    const { agentId } = former.facts
    removeSubagentBlock(batch, former)
    mergePlaceholder(batch, former, called)
    called.fill(omitUndefined({ agentId }))
    return
  }
  const openBlocks = former.facts.openBlocks?.map((id) =>
    id === subagentBlockId(formerId) ? subagentBlockId(toolUseId) : id,
  )
  const renamed = batch.replaceSubagent(former, omitUndefined({ ...former.facts, toolUseId, openBlocks }))
  moveConversation(batch, former, renamed)
  moveSubagentBlock(batch, formerId, renamed)
}

/**
 * Returns the agent's placeholder: the subagent that was created under the agent's id before its call was known. No
 * spawn has named its parent yet.
 */
export function findPlaceholder(batch: Batch, agentId: string | undefined): SubagentThread | undefined {
  const subagent = agentId === undefined ? undefined : batch.subagentByToolUseId(agentId)
  return subagent && isPlaceholder(subagent) ? subagent : undefined
}

function isPlaceholder({ id, facts }: SubagentThread): boolean {
  return facts.parentConversationId === undefined && (facts.agentId === undefined || facts.agentId === id)
}

/** Whether the conversation, or one of its ancestors, has an id that matches. */
export function isWithin(batch: Batch, conversationId: string, matches: (id: string) => boolean): boolean {
  const seen = new Set<string>()
  let current: string | undefined = conversationId
  while (current !== undefined && !seen.has(current)) {
    const subagent = batch.subagent(current)
    const id = subagent?.id ?? current
    if (matches(id)) return true
    // A state that no reducer made may hold a cycle already.
    seen.add(current)
    current = subagent?.facts.parentConversationId
  }
  return false
}

/**
 * The subagent's own facts and a final status win. Blocks are joined by id, and a final one replaces a pending one.
 * If a cut ended one of the two, and the other has not ended, the cut ends both.
 */
function mergePlaceholder(batch: Batch, placeholder: SubagentThread, subagent: SubagentThread): void {
  const cuts = addsNoWork(placeholder, subagent) ? [] : [continueRun(subagent), continueRun(placeholder)]
  const { toolUseId, agentId, status, ...facts } = placeholder.facts
  batch.removeSubagent(placeholder)
  subagent.fill(facts)
  if (isFinal(status) && !isFinal(subagent.facts.status)) subagent.update({ status })
  moveConversation(batch, placeholder, subagent)
  const merged = subagent.facts.status
  const cut = cuts.find((status) => status !== undefined)
  if (isFinal(merged)) finalizePending(subagent, merged === 'success' ? 'complete' : 'error')
  else if (cut) cutRun(subagent, { status: cut })
}

/** Whether a cut that has ended the subagent can stay. A cut that is undone and made again copies the blocks. */
function addsNoWork(placeholder: SubagentThread, subagent: SubagentThread): boolean {
  const isEmpty = placeholder.blocks.items.length === 0 && !isFinal(placeholder.facts.status)
  return isEmpty && subagent.pendingBlocks().length === 0
}

function moveConversation(batch: Batch, from: Thread, to: Thread): void {
  for (const block of from.blocks.items) moveBlock(batch, withChanges(block, { conversationId: to.id }), to)
  for (const entry of from.usage.items) moveUsage(shallowCopy(entry), to)
  to.todos ??= from.todos
  batch.moveChildren(from.id, to.id)
}

function moveBlock(batch: Batch, block: ConversationBlock, to: Thread): void {
  const { blocks } = to
  const found = blocks.find(block.id)
  if (!found) batch.appendBlock(to, block)
  else if (found.item.status === 'pending' && block.status !== 'pending') blocks.replace(found.index, block)
}

/** The subagent's own figures win, unless only the other ones are final. */
function moveUsage(entry: MessageUsage, to: Thread): void {
  const found = to.usage.find(entry.messageId)
  if (!found || (entry.final && !found.item.final)) addUsage(to, entry)
}
