import { isDraft } from 'immer'
import type { AgentEntry } from './agent.ts'

type Agents = readonly AgentEntry[]

/**
 * Positions in the list of agents, so that the cost of an event does not grow with the list. All lists that come from one list
 * share these positions, older lists too. So a position may be wrong for a list, and each look-up checks it. No position is missing.
 */
interface Positions {
  readonly byId: Map<string, number>
  readonly byParent: Map<string, Set<number>>
  /** The agents that may still get a parent. */
  readonly unlinked: Set<number>
}

interface AgentIndex {
  readonly positions: Positions
  /** The `completionOrder` of the next agent that completes. */
  readonly nextCompletion: number
}

const indexes = new WeakMap<Agents, AgentIndex>()

/** Returns the position of the first agent with the id, or -1. */
export function positionOf(agents: Agents, id: string): number {
  const position = indexOf(agents).positions.byId.get(id)
  if (position === undefined) return -1
  return agents[position]?.id === id ? position : agents.findIndex((agent) => agent.id === id)
}

/** Returns the positions of an agent's children, in any order. */
export function childPositions(agents: Agents, parentId: string): readonly number[] {
  const found = indexOf(agents).positions.byParent.get(parentId) ?? []
  return [...found].filter((position) => agents[position]?.parentAgentId === parentId)
}

/** Returns the agents that may still get a parent and pass the test, in their order. */
export function unlinkedAgents(
  agents: Agents,
  isCandidate: (agent: AgentEntry) => boolean,
): readonly AgentEntry[] {
  const found: number[] = []
  for (const position of indexOf(agents).positions.unlinked) {
    const agent = agents[position]
    if (agent && isUnlinked(agent) && isCandidate(agent)) found.push(position)
  }
  return found.sort((left, right) => left - right).flatMap((position) => agents[position] ?? [])
}

/** Returns the `completionOrder` of the next agent that completes: 1 more than the greatest so far, or 0. */
export function nextCompletionOrder(agents: Agents): number {
  return indexOf(agents).nextCompletion
}

/** Gives a list the index of the list that it comes from. The two may differ in the agent at one position. */
export function passIndex(from: Agents, to: Agents, position: number): void {
  const agent = to[position]
  if (!agent || isDraft(to)) return
  const { positions, nextCompletion } = indexOf(from)
  enter(positions, agent, position)
  indexes.set(to, { positions, nextCompletion: Math.max(nextCompletion, completionsWith(agent)) })
}

function indexOf(agents: Agents): AgentIndex {
  const known = indexes.get(agents)
  if (known) return known
  const positions = { byId: new Map(), byParent: new Map(), unlinked: new Set<number>() }
  for (let position = agents.length - 1; position >= 0; position -= 1) {
    const agent = agents[position]
    if (agent) enter(positions, agent, position)
  }
  const nextCompletion = agents.reduce((next, agent) => Math.max(next, completionsWith(agent)), 0)
  const index = { positions, nextCompletion }
  // A host may change its own draft, so the index of a draft is not kept.
  if (!isDraft(agents)) indexes.set(agents, index)
  return index
}

function enter({ byId, byParent, unlinked }: Positions, agent: AgentEntry, position: number): void {
  const { id, parentAgentId } = agent
  byId.set(id, position)
  if (isUnlinked(agent)) unlinked.add(position)
  if (parentAgentId === undefined) return
  const siblings = byParent.get(parentAgentId)
  if (siblings) siblings.add(position)
  else byParent.set(parentAgentId, new Set([position]))
}

function isUnlinked({ parentAgentId, isMain }: AgentEntry): boolean {
  return parentAgentId === undefined && !isMain
}

function completionsWith({ completionOrder = -1 }: AgentEntry): number {
  return completionOrder + 1
}
