import { isEqual } from '../../core/json/equal.ts'
import { pendingRequests } from '../../core/selectors/requests.ts'
import type { SessionConversationState, SubagentState } from '../../core/state/session.ts'
import type { AgUiPatch } from '../../wires/ag-ui/event.ts'
import { agentOf, requestOf } from '../../wires/ag-ui/shared-state.ts'

/** Returns the patches that lead from one state to the other. */
export function patchesOf(before: SessionConversationState, after: SessionConversationState): AgUiPatch[] {
  const patches: AgUiPatch[] = []
  if (before.todos !== after.todos && !isEqual(before.todos ?? [], after.todos ?? []))
    patches.push({ op: 'replace', path: '/todos', value: after.todos ?? [] })
  if (before.blocks !== after.blocks || before.subagents !== after.subagents) {
    const requests = pendingRequests(after).map(requestOf)
    if (!isEqual(pendingRequests(before).map(requestOf), requests))
      patches.push({ op: 'replace', path: '/requests', value: requests })
  }
  if (before.subagents !== after.subagents) patches.push(...agentPatches(before.subagents, after.subagents))
  return patches
}

function agentPatches(before: readonly SubagentState[], after: readonly SubagentState[]): AgUiPatch[] {
  if (before.length > after.length) return [{ op: 'replace', path: '/agents', value: after.map(agentOf) }]
  const patches: AgUiPatch[] = []
  for (const [at, agent] of after.entries()) {
    const known = before[at]
    if (known === agent) continue
    const value = agentOf(agent)
    if (!known) patches.push({ op: 'add', path: '/agents/-', value })
    else if (!isEqual(agentOf(known), value)) patches.push({ op: 'replace', path: `/agents/${at}`, value })
  }
  return patches
}
