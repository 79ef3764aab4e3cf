import { addToList } from '../json/lists.ts'
import { topDown } from '../selectors/forest.ts'
import type { AgentNode, Lineage } from '../selectors/tree.ts'
import { addTokens, NO_USAGE, type UsageSum, usageWith } from '../selectors/usage.ts'
import type { SubagentStatus } from '../state/subagent.ts'
import type { Claim } from './claims.ts'
import type { AgentEntry, AgentRegistry } from './registry/agent.ts'

/** An agent, or a claim that waits for its child or has expired. */
interface TreeMember {
  readonly id: string
  readonly agentId: string | undefined
  readonly parentId: string | undefined
  /** The time of the start, of an open claim's call, or of the moment a claim expired, in ms since the epoch. */
  readonly time: number
  readonly name: string
  readonly status: SubagentStatus
  readonly own: UsageSum
  /** Set if the member's place in the tree alone does not show it. */
  readonly lineage: 'orphan' | 'claim' | 'expired-claim' | undefined
}

/**
 * Returns the agents as trees: the newest root first, children in the order of their start (RFC 00033). An expired
 * claim is a child with status `error`, at the time when it expired. Open claims are `pending` children after all
 * others, in the order of the calls. Orphans are roots. So are agents that are their own ancestors because of bad
 * data.
 */
export function buildAgentTree(registry: AgentRegistry): readonly AgentNode[] {
  const memberOf = claimMembers()
  const expired = registry.expiredClaims.map((claim) => memberOf(claim, 'expired-claim'))
  const open = registry.claims.map((claim) => memberOf(claim, 'claim'))
  // An open claim has no start yet. So it stands last, and a child that starts moves none of its siblings.
  const members = [...sortedByTime([...registry.agents.map(agentMember), ...expired]), ...sortedByTime(open)]
  const places = topDown(members, { idOf: ({ agentId }) => agentId, parentOf: ({ parentId }) => parentId })
  const children = new Map<TreeMember, AgentNode[]>()
  const roots: { readonly node: AgentNode; readonly time: number }[] = []
  for (const [member, { parent, lineage }] of [...places].reverse()) {
    const node = agentNode(member, member.lineage ?? lineage, (children.get(member) ?? []).reverse())
    if (parent === undefined) roots.push({ node, time: member.time })
    else addToList(children, parent, node)
  }
  return roots.sort((left, right) => right.time - left.time).map(({ node }) => node)
}

function agentMember(agent: AgentEntry): TreeMember {
  const { id, name, parentAgentId: parentId, startTime: time, isOrphan } = agent
  const lineage = isOrphan ? 'orphan' : undefined
  return {
    id,
    agentId: id,
    name,
    parentId,
    time,
    lineage,
    status: STATUSES[agent.status],
    own: usageOf(agent),
  }
}

function sortedByTime(members: readonly TreeMember[]): readonly TreeMember[] {
  return [...members].sort((left, right) => left.time - right.time)
}

/** Returns the function that makes members of claims: the expired ones first, then the open ones. */
function claimMembers(): (claim: Claim, lineage: 'claim' | 'expired-claim') => TreeMember {
  const counts = new Map<string, number>()
  return (claim, lineage) => {
    const { parentAgentId: parentId, toolUseId, timestamp, expiresAt, expectedChildAgentName: name } = claim
    // The id does not depend on other claims. Only claims of one parent with the same time, and no call id, are
    // counted.
    const key = JSON.stringify([parentId, toolUseId ?? timestamp])
    const count = (counts.get(key) ?? 0) + 1
    counts.set(key, count)
    const id = `claim:${key}${count === 1 ? '' : `:${count}`}`
    const facts = { id, parentId, name, lineage, agentId: undefined, own: NO_USAGE }
    return lineage === 'claim'
      ? { ...facts, time: timestamp, status: 'pending' }
      : { ...facts, time: expiresAt, status: 'error' }
  }
}

const STATUSES: Readonly<Record<AgentEntry['status'], SubagentStatus>> = {
  streaming: 'running',
  complete: 'success',
  error: 'error',
}

/** While a response streams, the host's estimate stands for its tokens. */
function usageOf({ usage: { earlier, last }, status, estimatedInputTokens: estimate }: AgentEntry): UsageSum {
  const final = addTokens(earlier, last)
  if (status !== 'streaming' || estimate === undefined) return { ...NO_USAGE, final }
  return { final, provisional: { messages: 1, inputTokens: estimate } }
}

function agentNode(
  { id, name, status, own }: TreeMember,
  lineage: Lineage,
  children: readonly AgentNode[],
): AgentNode {
  return { conversationId: id, name, status, lineage, usage: usageWith(children, own), children }
}
