import { isDraft } from 'immer'
import type { AgentEntry } from './agent.ts'

type Agents = readonly AgentEntry[]

/** The parent's id. Without a parent: null for an agent that may still get one, undefined for a main agent. */
type ParentKey = string | null | undefined

/**
 * Positions in the list of agents, so that the cost of an event does not grow with the list. All lists that come from one list
 * share these positions, older lists too. So a position may be wrong for a list, and each look-up checks it. No position is missing.
 */
interface AgentIndex {
  readonly byId: Map<string | undefined, number>
  readonly byParent: Map<ParentKey, Set<number>>
  /** The `completionOrder` of the next agent that completes. */
  readonly nextCompletion: number
}

interface Place {
  readonly agent: AgentEntry
  readonly position: number
}

const indexes = new WeakMap<Agents, AgentIndex>()

/** Returns the position of an agent with the id, or -1. */
export function positionOf(agents: Agents, id: string | undefined): number {
  const position = indexOf(agents).byId.get(id)
  if (position === undefined) return -1
  return agents[position]?.id === id ? position : agents.findIndex((agent) => agent.id === id)
}

/** Returns an agent's children, in any order. */
export function childrenOf(agents: Agents, parentId: string): readonly Place[] {
  return placesUnder(agents, parentId)
}

/** Returns the agents that may still get a parent and pass the test, in their order. */
export function unlinkedAgents(
  agents: Agents,
  isCandidate: (agent: AgentEntry) => boolean,
): readonly AgentEntry[] {
  return placesUnder(agents, null)
    .filter(({ agent }) => isCandidate(agent))
    .sort((left, right) => left.position - right.position)
    .map(({ agent }) => agent)
}

/** Returns the `completionOrder` of the next agent that completes: 1 more than the greatest so far, or 0. */
export function nextCompletionOrder(agents: Agents): number {
  return indexOf(agents).nextCompletion
}

/** Gives a list the index of the list that it comes from. The two may differ in the agent at one position. */
export function passIndex(from: Agents, to: Agents, position: number): void {
  const { nextCompletion, ...positions } = indexOf(from)
  const agent = to[position]
  if (!agent) return
  enter(positions, agent, position)
  keep(to, { ...positions, nextCompletion: Math.max(nextCompletion, completionsWith(agent)) })
}

const NOWHERE: ReadonlySet<number> = /* @__PURE__ */ new Set()

function placesUnder(agents: Agents, key: ParentKey): Place[] {
  return [...(indexOf(agents).byParent.get(key) ?? NOWHERE)].flatMap((position) => {
    const agent = agents[position]
    return agent && parentKeyOf(agent) === key ? [{ agent, position }] : []
  })
}

function indexOf(agents: Agents): AgentIndex {
  const known = indexes.get(agents)
  if (known) return known
  const positions = { byId: new Map(), byParent: new Map() }
  const nextCompletion = agents.reduceRight((next, agent, position) => {
    enter(positions, agent, position)
    return Math.max(next, completionsWith(agent))
  }, 0)
  return keep(agents, { ...positions, nextCompletion })
}

/** A host may change its own draft, so the index of a draft is not kept. */
function keep(agents: Agents, index: AgentIndex): AgentIndex {
  if (!isDraft(agents)) indexes.set(agents, index)
  return index
}

function enter(
  { byId, byParent }: Omit<AgentIndex, 'nextCompletion'>,
  agent: AgentEntry,
  position: number,
): void {
  byId.set(agent.id, position)
  const key = parentKeyOf(agent)
  const siblings = byParent.get(key) ?? new Set()
  byParent.set(key, siblings.add(position))
}

function parentKeyOf({ parentAgentId, isMain }: AgentEntry): ParentKey {
  return parentAgentId ?? (isMain ? undefined : null)
}

function completionsWith({ completionOrder = -1 }: AgentEntry): number {
  return completionOrder + 1
}
