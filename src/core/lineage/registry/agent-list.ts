import { greatest } from '../../json/lists.ts'
import type { AgentEntry } from './agent.ts'

/** Agents in one chunk. A change copies one chunk, and the list of chunks. */
const CHUNK = 256

/**
 * An immutable list of agents. A change shares all other chunks with the list before, so its cost hardly grows with
 * the list. All lists that come from one list share their positions too.
 */
export class AgentList {
  readonly length: number
  /** The `completionOrder` of the next agent that completes: 1 more than the greatest so far, or 0. */
  readonly nextCompletion: number
  readonly #chunks: readonly (readonly AgentEntry[])[]
  readonly #positions: AgentPositions
  #array: readonly AgentEntry[] | undefined

  private constructor(
    chunks: readonly (readonly AgentEntry[])[],
    {
      length,
      nextCompletion,
      positions,
    }: { readonly length: number; readonly nextCompletion: number; readonly positions: AgentPositions },
  ) {
    this.#chunks = chunks
    this.#positions = positions
    this.length = length
    this.nextCompletion = nextCompletion
  }

  static of(agents: readonly AgentEntry[]): AgentList {
    const positions = new AgentPositions()
    const chunks: AgentEntry[][] = []
    for (let from = 0; from < agents.length; from += CHUNK) chunks.push(agents.slice(from, from + CHUNK))
    // From the end, so that the first of several agents with one id counts.
    for (let at = agents.length - 1; at >= 0; at -= 1) {
      const agent = agents[at]
      if (agent) positions.add(agent, at)
    }
    const nextCompletion = greatest(agents.map(completionsWith))
    const list = new AgentList(chunks, { length: agents.length, nextCompletion, positions })
    list.#array = agents
    return list
  }

  at(position: number): AgentEntry | undefined {
    return this.#chunks[Math.floor(position / CHUNK)]?.[position % CHUNK]
  }

  /** Returns the list as an array, which is the same at every call. */
  toArray(): readonly AgentEntry[] {
    this.#array ??= this.#chunks.flat()
    return this.#array
  }

  /** Returns the list with another agent at the position, or with one more agent at its end. */
  with(position: number, agent: AgentEntry): AgentList {
    const chunks = this.#chunks.slice()
    const chunk = chunks[Math.floor(position / CHUNK)]?.slice() ?? []
    if (!hasSameKeys(chunk[position % CHUNK], agent)) this.#positions.add(agent, position)
    chunk[position % CHUNK] = agent
    chunks[Math.floor(position / CHUNK)] = chunk
    return new AgentList(chunks, {
      length: Math.max(this.length, position + 1),
      nextCompletion: Math.max(this.nextCompletion, completionsWith(agent)),
      positions: this.#positions,
    })
  }

  /** Returns the position of the first agent with the id, or -1. */
  positionOf(id: string | undefined): number {
    const position = this.#positions.ofId(id)
    if (position === undefined) return -1
    return this.at(position)?.id === id ? position : this.toArray().findIndex((agent) => agent.id === id)
  }

  /** Returns an agent's children, in any order. */
  childrenOf(parentId: string): readonly Place[] {
    const isChild = ({ parentAgentId }: AgentEntry) => parentAgentId === parentId
    return this.#placesAt(this.#positions.ofChildren(parentId), isChild)
  }

  /**
   * Returns the agents that may still get a parent, in their order. They are those that name the call, and those that started
   * in the time, which includes its first ms.
   */
  unlinkedFor(
    toolUseId: string | undefined,
    [from, to]: readonly [from: number, to: number],
  ): readonly AgentEntry[] {
    const isCandidate = (agent: AgentEntry) =>
      isUnlinked(agent) && (isOfCall(agent, toolUseId) || (agent.startTime >= from && agent.startTime < to))
    const positions = new Set([...this.#positions.ofCall(toolUseId), ...this.#positions.ofUnlinked(from, to)])
    return this.#placesAt(positions, isCandidate)
      .sort((left, right) => left.position - right.position)
      .map(({ agent }) => agent)
  }

  /** The positions may be those of other agents. */
  #placesAt(positions: Iterable<number>, isRight: (agent: AgentEntry) => boolean): Place[] {
    const places: Place[] = []
    for (const position of positions) {
      const agent = this.at(position)
      if (agent && isRight(agent)) places.push({ agent, position })
    }
    return places
  }
}

/** Whether the positions of the agent are those of the one before it in its place. */
function hasSameKeys(
  before: AgentEntry | undefined,
  { id, parentAgentId, startTime, isMain, toolUseIds }: AgentEntry,
): boolean {
  if (before?.id !== id || before.parentAgentId !== parentAgentId) return false
  if (before.toolUseIds.length !== toolUseIds.length) return false
  return before.startTime === startTime && before.isMain === isMain
}

function isUnlinked({ parentAgentId, isMain }: AgentEntry): boolean {
  return parentAgentId === undefined && !isMain
}

function isOfCall({ toolUseIds }: AgentEntry, toolUseId: string | undefined): boolean {
  return toolUseId !== undefined && toolUseIds.includes(toolUseId)
}

function completionsWith({ completionOrder = -1 }: AgentEntry): number {
  return completionOrder + 1
}

/** An agent and its position in the list. */
interface Place {
  readonly agent: AgentEntry
  readonly position: number
}

/** The time of one bucket of agents without a parent, in ms. */
const BUCKET_MS = 10_000

const NONE: ReadonlySet<number> = /* @__PURE__ */ new Set()

/**
 * The positions of agents, so that the cost of an event does not grow with the list. All lists that come from one
 * list share them, older lists too. So a position may be wrong for a list, and each look-up checks it. No position is
 * missing.
 */
class AgentPositions {
  readonly #byId = new Map<string | undefined, number>()
  readonly #byParent = new Map<string, Set<number>>()
  /** The agents that started without a parent, by their start. */
  readonly #byStart = new Map<number, Set<number>>()
  /** The agents without a parent that name a call. */
  readonly #byCall = new Map<string, Set<number>>()

  add(agent: AgentEntry, position: number): void {
    this.#byId.set(agent.id, position)
    if (agent.parentAgentId !== undefined) addTo(this.#byParent, agent.parentAgentId, position)
    else if (!agent.isMain) {
      addTo(this.#byStart, bucketOf(agent.startTime), position)
      for (const toolUseId of agent.toolUseIds) addTo(this.#byCall, toolUseId, position)
    }
  }

  ofId(id: string | undefined): number | undefined {
    return this.#byId.get(id)
  }

  ofChildren(parentId: string): Iterable<number> {
    return this.#byParent.get(parentId) ?? NONE
  }

  ofCall(toolUseId: string | undefined): Iterable<number> {
    return (toolUseId === undefined ? undefined : this.#byCall.get(toolUseId)) ?? NONE
  }

  /** Returns the positions of agents that started without a parent in that time, and of some others. */
  *ofUnlinked(from: number, to: number): Generator<number, void> {
    const [first, last] = [bucketOf(from), bucketOf(to)]
    const buckets =
      last - first < this.#byStart.size
        ? Array.from({ length: last - first + 1 }, (_, at) => first + at)
        : [...this.#byStart.keys()].filter((bucket) => bucket >= first && bucket <= last)
    for (const bucket of buckets) yield* this.#byStart.get(bucket) ?? NONE
  }
}

function bucketOf(time: number): number {
  return Math.floor(time / BUCKET_MS)
}

function addTo<Key>(sets: Map<Key, Set<number>>, key: Key, position: number): void {
  const positions = sets.get(key)
  if (positions) positions.add(position)
  else sets.set(key, new Set([position]))
}
