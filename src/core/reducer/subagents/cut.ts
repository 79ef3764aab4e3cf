import { subagentBlockId } from '../../state/block.ts'
import { isFinal } from '../../state/subagent.ts'
import { finalizeBlock, finalizePending, reopenBlocks } from '../finalize.ts'
import type { StateFacts, SubagentThread } from '../thread.ts'

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
