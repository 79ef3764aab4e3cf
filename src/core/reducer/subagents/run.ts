import type { EventOf } from '../../events/event.ts'
import { omitUndefined, pickDefined } from '../../json/fields.ts'
import { fieldNames } from '../../json/shape.ts'
import { MAIN } from '../../state/session.ts'
import { COMPLETION_FACTS, type CompletionFacts, isFinal } from '../../state/subagent.ts'
import type { Batch } from '../batch.ts'
import type { ReducerIssueCode } from '../issue.ts'
import type { SubagentThread } from '../thread.ts'
import { findPlaceholder, getOrCreateSubagent, linkAgentId } from './agent-ids.ts'
import {
  continueRun,
  cutRun,
  endCutBlocks,
  endRun,
  type RunEnd,
  updateSubagentBlock,
} from './subagent-block.ts'

const COMPLETION_NAMES = /* @__PURE__ */ fieldNames<CompletionFacts>(COMPLETION_FACTS)

/**
 * Runs a final subagent again, unless the event names the run that has ended. The prompt and the output stay until
 * the next completion.
 */
export function resumeSubagent(
  batch: Batch,
  event: EventOf<'subagent:resumed'>,
): ReducerIssueCode | undefined {
  const { toolUseId, runId, prompt } = event
  if (isReserved(toolUseId)) return 'reserved-id'
  if (event.continues) return continueSubagent(batch, event)
  const subagent = batch.subagent(toolUseId) ?? batch.createSubagent({ toolUseId, status: 'running' })
  if (isFinal(subagent.facts.status)) {
    if (runId !== undefined && runId === subagent.facts.runId) return 'stale-run'
    subagent.forget({ runId: undefined, openBlocks: undefined })
    subagent.update({ status: 'running' })
  }
  subagent.fill(omitUndefined({ prompt: prompt || undefined, runId }))
  updateSubagentBlock(batch, subagent)
  return isDifferentRun(subagent, runId) ? 'already-running' : undefined
}

/** Goes on with a run that a cut ended. */
function continueSubagent(
  batch: Batch,
  { toolUseId, runId }: EventOf<'subagent:resumed'>,
): ReducerIssueCode | undefined {
  const subagent = batch.subagent(toolUseId)
  if (!subagent) return undefined
  if (isDifferentRun(subagent, runId)) return 'stale-run'
  continueRun(subagent)
  updateSubagentBlock(batch, subagent)
  return undefined
}

/** Finalizes a subagent. An unknown one is created, because a completion may overtake its spawn. */
export function completeSubagent(
  batch: Batch,
  event: EventOf<'subagent:completed'>,
): ReducerIssueCode | undefined {
  const { toolUseId, agentId, runId } = event
  if (isReserved(toolUseId, agentId)) return 'reserved-id'
  if (event.cut) return cutSubagent(batch, event)
  const known = batch.subagent(toolUseId)
  const current = known ?? findPlaceholder(batch, agentId)
  if (current && isDifferentRun(current, runId)) return 'stale-run'
  const subagent = known ?? getOrCreateSubagent(batch, { toolUseId, agentId, status: 'running' })
  const issue = agentId === undefined ? undefined : linkAgentId(batch, subagent, agentId)
  finalizeSubagent(batch, subagent, endOf(event))
  return issue
}

/** Ends a run with the input. A run that has ended stays as it is. */
function cutSubagent(batch: Batch, event: EventOf<'subagent:completed'>): ReducerIssueCode | undefined {
  const subagent = batch.subagent(event.toolUseId)
  if (!subagent || isFinal(subagent.facts.status)) return undefined
  if (isDifferentRun(subagent, event.runId)) return 'stale-run'
  cutRun(subagent, endOf(event))
  updateSubagentBlock(batch, subagent)
  return undefined
}

function endOf(event: EventOf<'subagent:completed'>): RunEnd {
  const status = event.status === 'completed' ? 'success' : 'error'
  return omitUndefined({ status, runId: event.runId, ...completionOf(event) })
}

/** Returns the facts that end a run. */
export function completionOf(source: CompletionFacts): CompletionFacts {
  return pickDefined(source, COMPLETION_NAMES)
}

/**
 * Ends a run: the facts replace earlier ones, pending blocks become final, and the subagent's block shows it. A run
 * that was cut ends as if it had not been.
 */
export function finalizeSubagent(batch: Batch, subagent: SubagentThread, end: RunEnd): void {
  endCutBlocks(subagent, end)
  endRun(subagent, end)
  updateSubagentBlock(batch, subagent)
}

/** Whether an id is the main conversation's, which no subagent can have. */
export function isReserved(...ids: readonly (string | undefined)[]): boolean {
  return ids.includes(MAIN)
}

function isDifferentRun({ facts }: SubagentThread, runId: string | undefined): boolean {
  return runId !== undefined && facts.runId !== undefined && facts.runId !== runId
}
