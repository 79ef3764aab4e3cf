import { type Draft, isDraft } from 'immer'
import { changed } from '../produce.ts'
import type { AgentEntry, AgentRegistry } from './agent.ts'
import { AgentList } from './agent-list.ts'

/** Everything of a registry but its agents. */
type Rest = Omit<AgentRegistry, 'agents'>

interface Parts {
  readonly list: AgentList
  readonly rest: Rest
  /** The registry is a part of a draft, which its host may change, and which immer completes by writing into it. */
  readonly isDraft?: boolean
}

/** The key of a field that copies and JSON leave out. */
const PARTS: unique symbol = Symbol('parts')

/** The parts of a registry that this library made. A draft reads the field of its base, which is not its own. */
interface OwnRegistry extends AgentRegistry {
  readonly [PARTS]?: Parts & { readonly owner: AgentRegistry }
}

/** The lists of arrays that a host has, for example after it copied a registry. */
const lists = new WeakMap<readonly AgentEntry[], AgentList>()

/** Returns the agents of a registry. */
export function listOf(registry: AgentRegistry): AgentList {
  return partsOf(registry).list
}

function partsOf(registry: OwnRegistry): Parts {
  const known = registry[PARTS]
  if (known?.owner === registry) return known
  const { agents, ...rest } = registry
  if (isDraft(agents)) return { list: AgentList.of(agents), rest, isDraft: true }
  const list = lists.get(agents) ?? AgentList.of(agents)
  lists.set(agents, list)
  return { list, rest }
}

/**
 * Returns a registry with other parts. It computes the array of its agents when somebody reads it, because a copy of
 * a hundred thousand agents for each event takes longer than the event. V8 keeps the keys of a `WeakMap`, and each
 * new getter, until it collects all garbage. So the registry itself has its parts, and all registries share a getter.
 */
function registryOf({ list, rest, isDraft = false }: Parts): AgentRegistry {
  if (isDraft) return { ...rest, agents: list.toArray() }
  const lazy: Pick<AgentRegistry, 'agents'> = Object.create(Object.prototype, { agents: AGENTS })
  const registry = Object.assign(lazy, rest)
  return Object.defineProperty(registry, PARTS, {
    value: { owner: registry, list, rest },
    configurable: true,
  })
}

/** The parts are those of the owner, also where a proxy or an inheriting object asks. */
const AGENTS: PropertyDescriptor & ThisType<Required<OwnRegistry>> = {
  get() {
    const { list } = this[PARTS]
    const agents = list.toArray()
    lists.set(agents, list)
    return agents
  },
  enumerable: true,
  configurable: true,
}

/** Returns the registry with other claims. */
export function withClaims(
  registry: AgentRegistry,
  claims: Partial<Pick<AgentRegistry, 'claims' | 'expiredClaims'>>,
): AgentRegistry {
  const parts = partsOf(registry)
  return registryOf({ ...parts, rest: { ...parts.rest, ...claims } })
}

/** Returns the registry with other agents. */
export function withAgents(registry: AgentRegistry, agents: AgentList): AgentRegistry {
  return registryOf({ ...partsOf(registry), list: agents })
}

export function findAgent(registry: AgentRegistry, id: string): AgentEntry | undefined {
  const list = listOf(registry)
  return list.at(list.positionOf(id))
}

export function addAgent(registry: AgentRegistry, agent: AgentEntry): AgentRegistry {
  const list = listOf(registry)
  return withAgents(registry, list.with(list.length, agent))
}

/** Applies a recipe to one agent. If it changes nothing, it returns the same reference. */
export function updateAgent(
  registry: AgentRegistry,
  agent: AgentEntry,
  recipe: (agent: Draft<AgentEntry>) => void,
): AgentRegistry {
  const list = listOf(registry)
  const found = list.positionOf(agent.id)
  // A host's list may have two agents with one id.
  const position = list.at(found) === agent ? found : list.toArray().indexOf(agent)
  return updateAgentAt(registry, position, recipe)
}

/** Like `updateAgent`, for the agent at the position. */
export function updateAgentAt(
  registry: AgentRegistry,
  position: number,
  recipe: (agent: Draft<AgentEntry>) => void,
): AgentRegistry {
  const list = listOf(registry)
  const agent = list.at(position)
  if (!agent) throw new TypeError(`no agent at ${position}`)
  const next = changed(agent, recipe)
  return next === agent ? registry : withAgents(registry, list.with(position, next))
}

/** Events may come out of time order, so an earlier time changes nothing. Times are in ms since the epoch. */
export function advanceTime(agent: Draft<AgentEntry>, at: number): void {
  agent.lastUpdateTime = Math.max(agent.lastUpdateTime, at)
}

/**
 * Returns the id of the topmost agent above the agent, or its own id if it has no parent. Only the topmost agent may
 * still get a parent. The host may have dropped its entry. In a circle of bad data it is an agent of the circle.
 */
export function rootId(registry: AgentRegistry, agentId: string): string {
  const passed = new Set<string>()
  let id = agentId
  while (!passed.has(id)) {
    passed.add(id)
    id = findAgent(registry, id)?.parentAgentId ?? id
  }
  return id
}
