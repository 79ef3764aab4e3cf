import type { AgentEntry } from './agent.ts'

/** An agent and its position in the list. */
export interface Place {
  readonly agent: AgentEntry
  readonly position: number
}

/** The time of one bucket of agents without a parent, in ms. */
const BUCKET_MS = 10_000

const NONE: ReadonlySet<number> = /* @__PURE__ */ new Set()

/**
 * The positions of agents, so that the cost of an event does not grow with the list. All lists that come from one list share them, older lists too.
 * So a position may be wrong for a list, and each look-up checks it. No position is missing.
 */
export class AgentPositions {
  readonly #byId = new Map<string | undefined, number>()
  readonly #byParent = new Map<string, Set<number>>()
  /** The agents that started without a parent, by their start. */
  readonly #byStart = new Map<number, Set<number>>()

  add(agent: AgentEntry, position: number): void {
    this.#byId.set(agent.id, position)
    if (agent.parentAgentId !== undefined) addTo(this.#byParent, agent.parentAgentId, position)
    else if (!agent.isMain) addTo(this.#byStart, bucketOf(agent.startTime), position)
  }

  ofId(id: string | undefined): number | undefined {
    return this.#byId.get(id)
  }

  ofChildren(parentId: string): Iterable<number> {
    return this.#byParent.get(parentId) ?? NONE
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
