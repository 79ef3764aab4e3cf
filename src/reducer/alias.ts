import { isFinal } from '../state/subagent.ts'
import type { Batch } from './batch.ts'
import { finalisePending } from './idle.ts'
import type { ReducerIssueCode } from './issue.ts'
import type { SubagentFacts, SubagentThread, Thread } from './thread.ts'

/** A call that starts an agent; `status` is what a new subagent begins with. */
interface Call extends Pick<SubagentFacts, 'toolUseId' | 'status'> {
  readonly agentId: string | undefined
}

/**
 * An event says which agent a call started. What was created on sight under the agent's id is adopted; what was itself
 * spawned under that id is another agent and stays apart.
 */
export function nameAgent(
  batch: Batch,
  subagent: SubagentThread,
  agentId: string,
): ReducerIssueCode | undefined {
  if (subagent.facts.agentId === agentId) return undefined
  if (subagent.facts.agentId !== undefined) return 'agent-id-conflict'
  const onSight = createdOnSight(batch, agentId)
  const named = batch.subagentOfAgent(agentId)
  if (named && named !== onSight) return 'agent-id-conflict'
  if (onSight && onSight !== subagent) {
    if (isWithin(batch, subagent.id, (id) => id === onSight.id)) return 'cycle'
    absorb(batch, subagent, onSight)
  }
  batch.nameAgent(subagent, agentId)
  return undefined
}

/** The subagent of the call; if there is none, the one that was created on sight under the agent's id becomes it. */
export function calledSubagent(batch: Batch, { toolUseId, agentId, status }: Call): SubagentThread {
  const called = batch.subagentOfCall(toolUseId)
  if (called) return called
  const onSight = createdOnSight(batch, agentId)
  if (!onSight) return batch.create({ toolUseId, status })
  const renamed = batch.exchange(onSight, { ...onSight.facts, toolUseId })
  moveConversation(batch, onSight, renamed)
  return renamed
}

/** The subagent that so far stands for the agent and was created on sight: no spawn has told its parent. */
export function createdOnSight(batch: Batch, agentId: string | undefined): SubagentThread | undefined {
  const subagent = agentId === undefined ? undefined : batch.subagentOfCall(agentId)
  return subagent && isOnSight(subagent) ? subagent : undefined
}

/** Whether the conversation, or one that it is nested in, is the one that is looked for. */
export function isWithin(batch: Batch, conversationId: string, isIt: (id: string) => boolean): boolean {
  const seen = new Set<string>()
  let at: string | undefined = conversationId
  while (at !== undefined && !seen.has(at)) {
    const subagent = batch.subagent(at)
    const id = subagent?.id ?? at
    if (isIt(id)) return true
    // Bad data may hold a cycle already.
    seen.add(at)
    at = subagent?.facts.parentConversationId
  }
  return false
}

function isOnSight({ id, facts }: SubagentThread): boolean {
  return facts.parentConversationId === undefined && (facts.agentId === undefined || facts.agentId === id)
}

/** The subagent's own facts and a final status win; blocks are joined by id, finalised beats pending. */
function absorb(batch: Batch, subagent: SubagentThread, other: SubagentThread): void {
  const { toolUseId, agentId, status, ...facts } = other.facts
  batch.remove(other)
  subagent.fill(facts)
  if (isFinal(status) && !isFinal(subagent.facts.status)) subagent.update({ status })
  moveConversation(batch, other, subagent)
  const settled = subagent.facts.status
  if (isFinal(settled)) finalisePending(subagent, settled === 'success' ? 'complete' : 'error')
}

function moveConversation(batch: Batch, from: Thread, to: Thread): void {
  for (const block of from.blocks.items) {
    const moved = { ...block, conversationId: to.id }
    const found = to.blocks.find(block.id)
    if (!found) to.blocks.append(moved)
    else if (found.item.status === 'pending' && block.status !== 'pending') to.blocks.replace(found.at, moved)
  }
  for (const entry of from.usage.items) {
    const found = to.usage.find(entry.messageId)
    if (!found) to.usage.append({ ...entry })
    else if (entry.final && !found.item.final) to.usage.replace(found.at, { ...entry })
  }
  batch.moveChildren(from.id, to.id)
}
