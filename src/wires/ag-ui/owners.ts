import type { SessionConversationState } from '../../core/state/session.ts'

/**
 * The agents that have had a block, by the id of the block. The block may have gone since, so a reader looks it up. The index only saves time: it moves
 * from state to state, and a state without one gets a new one.
 */
export class Owners {
  readonly #agents = new Map<string, string[]>()

  add(agent: string, blockId: string): void {
    const known = this.#agents.get(blockId)
    if (!known) this.#agents.set(blockId, [agent])
    else if (!known.includes(agent)) known.push(agent)
  }

  of(blockId: string): readonly string[] {
    return this.#agents.get(blockId) ?? NO_AGENTS
  }
}

const NO_AGENTS: readonly string[] = []

const indexes = new WeakMap<SessionConversationState, Owners>()

/** Takes the index of a state away, because its batch adds to it. */
export function takeOwners(state: SessionConversationState): Owners | undefined {
  const owners = indexes.get(state)
  if (owners) indexes.delete(state)
  return owners
}

/** Gives an index to the state that has its blocks. */
export function giveOwners(state: SessionConversationState, owners: Owners): void {
  indexes.set(state, owners)
}
