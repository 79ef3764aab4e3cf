import { callIdOf } from './block-changes.ts'
import type { AgentView, ThreadUpdate } from './thread-view.ts'

/** Returns the places of the blocks whose parts may change, in order. */
export function touchedPlaces({ facts, known, changes, branches, index }: ThreadUpdate): readonly number[] {
  const { blocks, agents } = facts
  const { kept, replaced } = changes
  const touched = new Set(replaced)
  // A branch is shown at its mark.
  if (branches !== known.branches)
    for (const [at, { type }] of blocks.entries()) if (type === 'system') touched.add(at)
  const changed = [
    ...replaced.flatMap((at) => blocks[at] ?? []),
    ...blocks.slice(kept),
    ...known.facts.blocks.slice(kept),
  ]
  const ids = [
    ...changed.map(callIdOf),
    ...changedAgentIds(agents, known.facts.agents),
    ...changedAgentIds(known.facts.agents, agents),
  ]
  for (const id of new Set(ids)) for (const { at } of index.calls.get(id) ?? []) touched.add(at)
  for (let at = kept; at < blocks.length; at += 1) touched.add(at)
  return [...touched].sort((left, right) => left - right)
}

/** Returns the ids of the agents whose place in the other list is another agent's. */
function changedAgentIds(agents: readonly AgentView[], others: readonly AgentView[]): readonly string[] {
  return agents.flatMap((view, at) => (view === others[at] ? [] : view.agent.toolUseId))
}
