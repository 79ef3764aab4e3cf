import { topDown } from '../selectors/forest.ts'
import type { AgentNode, Lineage } from '../selectors/tree.ts'
import { addTokens, NO_USAGE, type UsageSum, usageWith } from '../selectors/usage.ts'
import type { SubagentStatus } from '../state/subagent.ts'
import type { AgentEntry, AgentRegistry } from './agent.ts'
import type { Claim } from './claim.ts'

/** An agent, or a child that a parent waits for, or has waited for in vain. */
interface Member {
  readonly id: string
  readonly agentId: string | undefined
  readonly parentId: string | undefined
  readonly start: number
  readonly name: string
  readonly status: SubagentStatus
  readonly own: UsageSum
  /** Where it is not only a question of its place. */
  readonly lineage: 'orphan' | 'claim' | 'expired-claim' | undefined
}

/**
 * Returns the agents as trees: roots newest first, children in the order of their start (RFC 00033). A claim that is open is
 * a `pending` child, one that has expired an `error`. Orphans, and agents that bad data hangs below themselves, are roots.
 */
export function buildAgentTree(registry: AgentRegistry): readonly AgentNode[] {
  const members = [...registry.agents.map(agentMember), ...claimMembers(registry)].sort(
    (left, right) => left.start - right.start,
  )
  const places = topDown(members, { idOf: ({ agentId }) => agentId, parentOf: ({ parentId }) => parentId })
  const below = new Map<Member | undefined, AgentNode[]>()
  const roots: { readonly node: AgentNode; readonly start: number }[] = []
  for (const [member, { parent, lineage }] of [...places].reverse()) {
    const node = agentNode(member, member.lineage ?? lineage, (below.get(member) ?? []).reverse())
    const siblings = below.get(parent)
    if (parent === undefined) roots.push({ node, start: member.start })
    else if (siblings) siblings.push(node)
    else below.set(parent, [node])
  }
  return roots.sort((left, right) => right.start - left.start).map(({ node }) => node)
}

function agentMember(agent: AgentEntry): Member {
  const { id, name, parentAgentId: parentId, startTime: start, isOrphan } = agent
  const lineage = isOrphan ? 'orphan' : undefined
  return {
    id,
    agentId: id,
    name,
    parentId,
    start,
    lineage,
    status: STATUSES[agent.status],
    own: usageOf(agent),
  }
}

function claimMembers({ claims, expiredClaims }: AgentRegistry): readonly Member[] {
  const counts = new Map<string, number>()
  const memberOf = (claim: Claim, facts: Pick<Member, 'status' | 'lineage'>): Member => {
    const { parentAgentId: parentId, toolUseId, timestamp: start, expectedChildAgentName: name } = claim
    // The same however many others come and go; only a parent's calls of one time have no more than their order.
    const key = JSON.stringify([parentId, toolUseId ?? start])
    const count = (counts.get(key) ?? 0) + 1
    counts.set(key, count)
    const id = `claim:${key}${count === 1 ? '' : `:${count}`}`
    return { ...facts, id, parentId, start, name, agentId: undefined, own: NO_USAGE }
  }
  return [
    ...expiredClaims.map((claim) => memberOf(claim, { status: 'error', lineage: 'expired-claim' })),
    ...claims.map((claim) => memberOf(claim, { status: 'pending', lineage: 'claim' })),
  ]
}

const STATUSES: Readonly<Record<AgentEntry['status'], SubagentStatus>> = {
  streaming: 'running',
  complete: 'success',
  error: 'error',
}

/** While a response goes on, its tokens are the host's estimate. */
function usageOf({ usage: { earlier, last }, status, estimatedInputTokens: estimate }: AgentEntry): UsageSum {
  const final = addTokens(earlier, last)
  if (status !== 'streaming' || estimate === undefined) return { ...NO_USAGE, final }
  return { final, provisional: { messages: 1, inputTokens: estimate } }
}

function agentNode(
  { id, name, status, own }: Member,
  lineage: Lineage,
  children: readonly AgentNode[],
): AgentNode {
  return { id, name, status, lineage, usage: usageWith(children, own), children }
}
