import type { EventOf } from '../../../../src/entries/index.ts'
import { end, isFinal, type State, type Subagent, type Thread } from './oracle-lookup.ts'

// Rule 16.

export function pendingIds(thread: Thread | undefined): string[] {
  const pending = (thread?.blocks ?? []).filter(
    ({ type, status }) => type !== 'subagent' && status === 'pending',
  )
  return pending.map(({ id }) => id)
}

export function hasEnded({ status, openBlocks }: Subagent): boolean {
  return isFinal(status) && !openBlocks
}

export function isAnnounced({ toolUseId, status, openBlocks }: Subagent): boolean {
  return status === 'pending' || (openBlocks ?? []).includes(`subagent:${toolUseId}`)
}

export function cutAgent(subagent: Subagent, status: 'success' | 'error'): void {
  const ids = [...(isAnnounced(subagent) ? [`subagent:${subagent.toolUseId}`] : []), ...pendingIds(subagent)]
  end(subagent, status)
  subagent.openBlocks = ids
}

export function continueAgent(subagent: Subagent): void {
  if (!subagent.openBlocks) return
  subagent.status = isAnnounced(subagent) ? 'pending' : 'running'
  reopen(subagent, subagent.openBlocks)
  delete subagent.openBlocks
}

export function continueTurn(state: State): void {
  const { openBlocks, startedAt } = state.turn
  if (!openBlocks) return
  reopen(state, openBlocks)
  state.turn = startedAt === undefined ? { status: 'running' } : { status: 'running', startedAt }
}

// Returns whether the event may end main's turn, if it is a cut.
export function isCutOfNothing(
  state: State,
  { conversationId = 'main', cut }: EventOf<'session:idle'>,
): boolean {
  return cut === true && (conversationId !== 'main' || state.turn.status !== 'running')
}

export function close(state: State, thread: Thread | undefined, blockId: string): void {
  const owner = thread === state ? state.turn : state.subagents.find((subagent) => subagent === thread)
  if (owner?.openBlocks) owner.openBlocks = owner.openBlocks.filter((id) => id !== blockId)
}

function reopen(thread: Thread, ids: readonly string[]): void {
  for (const block of thread.blocks)
    if (block.type !== 'subagent' && ids.includes(block.id)) block.status = 'pending'
}
