import type { EventOf, IncomingBlock } from '../events/event.ts'
import { omitUndefined } from '../json/omit-undefined.ts'
import { MAIN } from '../state/session.ts'
import { isFinal } from '../state/subagent.ts'
import { calledSubagent, createdOnSight, isWithin, nameAgent } from './alias.ts'
import type { Batch } from './batch.ts'
import { finalisePending } from './idle.ts'
import type { ReducerIssueCode } from './issue.ts'
import { type BlockFacts, showInParent } from './subagent-block.ts'
import type { SubagentFacts, SubagentThread } from './thread.ts'

/** What says that a subagent starts: a spawn, or a block that describes one. */
interface Start {
  readonly toolUseId: string
  readonly parent: string
  readonly status: 'pending' | 'running'
  readonly agentId: string | undefined
  /** Fills in only what is unknown. */
  readonly facts: Partial<SubagentFacts>
  readonly blockFacts: BlockFacts
}

interface Started {
  readonly subagent?: SubagentThread
  readonly issue?: ReducerIssueCode
}

/** Starts a subagent. A repeated spawn only adds what was unknown and takes back no final status. */
export function spawnSubagent(
  batch: Batch,
  event: EventOf<'subagent:spawned'>,
): ReducerIssueCode | undefined {
  const { toolUseId, agentId, runId, prompt, description, subagentType: name, messageId, timestamp } = event
  return start(batch, {
    toolUseId,
    parent: event.conversationId ?? MAIN,
    status: 'running',
    agentId,
    facts: omitUndefined({ prompt: prompt || undefined, name, description, runId }),
    blockFacts: omitUndefined({ messageId, timestamp }),
  }).issue
}

/** Reads a subagent's block as the spawn, and the completion, that it describes. */
export function upsertSubagent(
  batch: Batch,
  block: Extract<IncomingBlock, { readonly type: 'subagent' }>,
  conversationId: string,
): ReducerIssueCode | undefined {
  const { toolUseId, status, agentId, input, name, description, output, durationMs, messageId, timestamp } =
    block
  const { subagent, issue } = start(batch, {
    toolUseId,
    parent: conversationId,
    status: status === 'pending' ? 'pending' : 'running',
    agentId,
    facts: omitUndefined({ prompt: input || undefined, name, description, output, durationMs }),
    blockFacts: omitUndefined({ messageId, timestamp }),
  })
  if (subagent && isFinal(status) && !isFinal(subagent.facts.status))
    settle(batch, subagent, omitUndefined({ status, output, durationMs }))
  return issue
}

/**
 * A finished subagent runs again, unless it is the run that has ended. What it was told and what it said stay until the
 * next completion.
 */
export function resumeSubagent(
  batch: Batch,
  event: EventOf<'subagent:resumed'>,
): ReducerIssueCode | undefined {
  const { toolUseId, runId, prompt } = event
  if (isReserved(toolUseId)) return 'reserved-id'
  const subagent = batch.subagent(toolUseId) ?? batch.create({ toolUseId, status: 'running' })
  if (isFinal(subagent.facts.status)) {
    if (runId !== undefined && runId === subagent.facts.runId) return 'stale-run'
    subagent.forgetRun()
    subagent.update({ status: 'running' })
  }
  subagent.fill(omitUndefined({ prompt: prompt || undefined, runId }))
  showInParent(batch, subagent)
  return isOtherRun(subagent, runId) ? 'already-running' : undefined
}

/** Finalises a subagent, known or not: a completion may overtake its spawn. */
export function completeSubagent(
  batch: Batch,
  event: EventOf<'subagent:completed'>,
): ReducerIssueCode | undefined {
  const { toolUseId, agentId, runId, output, durationMs } = event
  if (isReserved(toolUseId, agentId)) return 'reserved-id'
  const current = batch.subagent(toolUseId) ?? createdOnSight(batch, agentId)
  if (current && isOtherRun(current, runId)) return 'stale-run'
  const subagent =
    batch.subagent(toolUseId) ?? calledSubagent(batch, { toolUseId, agentId, status: 'running' })
  const issue = agentId === undefined ? undefined : nameAgent(batch, subagent, agentId)
  const status = event.status === 'completed' ? 'success' : 'error'
  settle(batch, subagent, omitUndefined({ status, runId, output, durationMs }))
  return issue
}

/** A subagent that was only announced goes with its block: nothing of it has ever run. */
export function forgetAnnounced(batch: Batch, toolUseId: string): void {
  const subagent = batch.subagentOfCall(toolUseId)
  if (subagent?.facts.status !== 'pending') return
  if (subagent.blocks.items.length === 0 && subagent.usage.items.length === 0 && !batch.isParent(subagent.id))
    batch.remove(subagent)
}

function start(batch: Batch, { toolUseId, status, agentId, facts, blockFacts, ...told }: Start): Started {
  if (isReserved(toolUseId, agentId)) return { issue: 'reserved-id' }
  const parent = batch.thread(told.parent)?.id ?? told.parent
  if (told.parent === toolUseId || isUnderItself(batch, { toolUseId, agentId, parent }))
    return { issue: 'cycle' }
  const subagent = calledSubagent(batch, { toolUseId, agentId, status })
  const aliasIssue = agentId === undefined ? undefined : nameAgent(batch, subagent, agentId)
  const parentIssue = place(batch, subagent, parent)
  if (status === 'running' && subagent.facts.status === 'pending') subagent.update({ status })
  subagent.fill(facts)
  showInParent(batch, subagent, blockFacts)
  return omitUndefined({ subagent, issue: parentIssue ?? aliasIssue })
}

/** The first known parent stays. */
function place(batch: Batch, subagent: SubagentThread, parent: string): ReducerIssueCode | undefined {
  const placed = subagent.facts.parentConversationId
  if (placed === undefined) batch.setParent(subagent, batch.threadOrCreated(parent).id)
  else if (placed !== parent) return 'parent-conflict'
  return undefined
}

/** Whether the parent is the subagent itself, under either id, or nested in it. */
function isUnderItself(
  batch: Batch,
  { toolUseId, agentId, parent }: Pick<Start, 'toolUseId' | 'agentId' | 'parent'>,
): boolean {
  const onSight = createdOnSight(batch, agentId)
  const isIt = (id: string) =>
    id === toolUseId || (id === agentId && (onSight !== undefined || !batch.subagent(id)))
  if (isIt(parent)) return true
  // The way up may be long. Only who comes to hang elsewhere, with others below, can close a circle.
  const called = batch.subagentOfCall(toolUseId)
  if (!onSight && called?.facts.parentConversationId === parent) return false
  const ids = [toolUseId, agentId, called?.facts.agentId]
  return ids.some((id) => id !== undefined && batch.isParent(id)) && isWithin(batch, parent, isIt)
}

function settle(batch: Batch, subagent: SubagentThread, facts: Partial<SubagentFacts>): void {
  subagent.update(facts)
  finalisePending(subagent, facts.status === 'error' ? 'error' : 'complete')
  showInParent(batch, subagent)
}

function isReserved(...ids: readonly (string | undefined)[]): boolean {
  return ids.includes(MAIN)
}

function isOtherRun({ facts }: SubagentThread, runId: string | undefined): boolean {
  return runId !== undefined && facts.runId !== undefined && facts.runId !== runId
}
