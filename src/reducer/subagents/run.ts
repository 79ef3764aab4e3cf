import type { EventOf } from '../../events/event.ts'
import { omitUndefined } from '../../json/omit-undefined.ts'
import { fieldNames } from '../../json/shape/shape.ts'
import { MAIN } from '../../state/session.ts'
import { COMPLETION_FACTS, type CompletionFacts, isFinal } from '../../state/subagent.ts'
import type { Batch } from '../batch.ts'
import { finalizePending } from '../finalize.ts'
import type { ReducerIssueCode } from '../issue.ts'
import type { StateFacts, SubagentThread } from '../thread.ts'
import { findPlaceholder, getOrCreateSubagent, linkAgentId } from './agent-ids.ts'
import { pickDefined } from './pick-defined.ts'
import { updateSubagentBlock } from './subagent-block.ts'

const COMPLETION_NAMES = /* @__PURE__ */ fieldNames<CompletionFacts>(COMPLETION_FACTS)

/**
 * Runs a final subagent again, unless the event names the run that has ended. The prompt and the output stay until the next
 * completion.
 */
export function resumeSubagent(
  batch: Batch,
  event: EventOf<'subagent:resumed'>,
): ReducerIssueCode | undefined {
  const { toolUseId, runId, prompt } = event
  if (isReserved(toolUseId)) return 'reserved-id'
  const subagent = batch.subagent(toolUseId) ?? batch.createSubagent({ toolUseId, status: 'running' })
  if (isFinal(subagent.facts.status)) {
    if (runId !== undefined && runId === subagent.facts.runId) return 'stale-run'
    subagent.forgetRun()
    subagent.update({ status: 'running' })
  }
  subagent.fill(omitUndefined({ prompt: prompt || undefined, runId }))
  updateSubagentBlock(batch, subagent)
  return isDifferentRun(subagent, runId) ? 'already-running' : undefined
}

/** Finalizes a subagent. An unknown one is created, because a completion may overtake its spawn. */
export function completeSubagent(
  batch: Batch,
  event: EventOf<'subagent:completed'>,
): ReducerIssueCode | undefined {
  const { toolUseId, agentId, runId } = event
  if (isReserved(toolUseId, agentId)) return 'reserved-id'
  const current = batch.subagent(toolUseId) ?? findPlaceholder(batch, agentId)
  if (current && isDifferentRun(current, runId)) return 'stale-run'
  const subagent =
    batch.subagent(toolUseId) ?? getOrCreateSubagent(batch, { toolUseId, agentId, status: 'running' })
  const issue = agentId === undefined ? undefined : linkAgentId(batch, subagent, agentId)
  const status = event.status === 'completed' ? 'success' : 'error'
  finalizeSubagent(batch, subagent, omitUndefined({ status, runId, ...completionOf(event) }))
  return issue
}

/** Returns the facts that end a run. */
export function completionOf(source: CompletionFacts): CompletionFacts {
  return pickDefined(source, COMPLETION_NAMES)
}

/** Ends a run: the facts replace earlier ones, pending blocks become final, and the subagent's block shows it. */
export function finalizeSubagent(batch: Batch, subagent: SubagentThread, facts: Partial<StateFacts>): void {
  subagent.update(facts)
  finalizePending(subagent, facts.status === 'error' ? 'error' : 'complete')
  updateSubagentBlock(batch, subagent)
}

/** Whether an id is the main conversation's, which no subagent can have. */
export function isReserved(...ids: readonly (string | undefined)[]): boolean {
  return ids.includes(MAIN)
}

function isDifferentRun({ facts }: SubagentThread, runId: string | undefined): boolean {
  return runId !== undefined && facts.runId !== undefined && facts.runId !== runId
}
