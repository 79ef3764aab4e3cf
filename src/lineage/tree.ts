import { topDown } from '../selectors/forest.ts'
import type { AgentNode } from '../selectors/tree.ts'
import { addUsage, type UsageSum } from '../selectors/usage.ts'
import { assertNever } from '../state/assert-never.ts'
import type { SubagentStatus } from '../state/block.ts'
import { known } from '../state/known.ts'
import type { AgentEntry, AgentRegistry } from './agent.ts'
import type { Claim } from './claim.ts'

/** An agent, or a child that a parent waits for, or has waited for in vain. */
interface Member {
  readonly id: string
  readonly parentId: string | undefined
  readonly start: number
  readonly name: string
  readonly status: SubagentStatus
  readonly own: UsageSum
}

/**
 * Returns the agents as trees: roots newest first, children in the order of their start (RFC 00033). A claim that is open is
 * a `pending` child, one that has expired an `error`. An agent whose parent is not known, or in a cycle, is a root.
 */
export function buildAgentTree(registry: AgentRegistry): readonly AgentNode[] {
  const members = [
    ...registry.agents.map(agentMember),
    ...registry.claims.map((claim, at) => claimMember(claim, { id: `claim:${at}`, status: 'pending' })),
    ...registry.expiredClaims.map((claim, at) =>
      claimMember(claim, { id: `expired-claim:${at}`, status: 'error' }),
    ),
  ].sort((left, right) => left.start - right.start)
  const parents = topDown(members, { idOf: ({ id }) => id, parentOf: ({ parentId }) => parentId })
  const below = new Map<Member | undefined, AgentNode[]>()
  for (const [member, parent] of [...parents].reverse()) {
    const node = agentNode(member, (below.get(member) ?? []).reverse())
    const siblings = below.get(parent)
    if (siblings) siblings.push(node)
    else below.set(parent, [node])
  }
  const startOf = new Map(members.map(({ id, start }) => [id, start]))
  return (below.get(undefined) ?? []).sort(
    (left, right) => (startOf.get(right.id) ?? 0) - (startOf.get(left.id) ?? 0),
  )
}

function agentMember(agent: AgentEntry): Member {
  const { id, name, parentAgentId: parentId, startTime: start } = agent
  return { id, name, parentId, start, status: statusOf(agent), own: usageOf(agent) }
}

function statusOf({ status }: AgentEntry): SubagentStatus {
  switch (status) {
    case 'streaming':
      return 'running'
    case 'complete':
      return 'success'
    case 'error':
      return 'error'
    default:
      return assertNever(status)
  }
}

const NO_TOKENS = { messages: 0 }

/** While an agent has not completed once, its tokens are the host's estimate. */
function usageOf({ completionOrder, inputTokens, outputTokens, estimatedInputTokens }: AgentEntry): UsageSum {
  if (completionOrder !== undefined)
    return { final: { messages: 1, inputTokens, outputTokens }, provisional: NO_TOKENS }
  if (estimatedInputTokens === undefined) return { final: NO_TOKENS, provisional: NO_TOKENS }
  return { final: NO_TOKENS, provisional: { messages: 1, inputTokens: estimatedInputTokens } }
}

function claimMember(
  { parentAgentId, expectedChildAgentName, timestamp }: Claim,
  { id, status }: Pick<Member, 'id' | 'status'>,
): Member {
  const own = { final: NO_TOKENS, provisional: NO_TOKENS }
  return { id, status, own, parentId: parentAgentId, start: timestamp, name: expectedChildAgentName }
}

function agentNode({ id, name, status, own }: Member, children: readonly AgentNode[]): AgentNode {
  const total = addUsage([own, ...children.map(({ usage }) => usage.total)])
  return known({ id, name, status, usage: { own, total }, children })
}
