/** Events nearly always concern one of the last items, so a short look from the end saves the index. */
export const TAIL = 16

/** After so many steps for each item of the list, in one batch or in several, an index is cheaper, or a new one. */
const STEPS_BEFORE_INDEX = 4

/** A list as it is searched: its items, with gaps and without, and what their ids are. */
interface Searched<Item extends object> {
  readonly places: readonly (Item | undefined)[]
  readonly items: readonly Item[]
  idOf(item: Item): string
}

/** Where the items of a list stand, as far as somebody has asked. */
export class Positions {
  /** By id: the last place where the item may stand. Since the index was made an item can only have moved down. */
  #index: Map<string, number> | undefined
  #isUnique = true
  #steps = 0

  /** Returns where the last item with the id stands in the list, or -1; among the last ones somebody has looked already. */
  find<Item extends object>(list: Searched<Item>, id: string): number {
    if (this.#steps > STEPS_BEFORE_INDEX * list.places.length) {
      const { items } = list
      this.#index = new Map(items.map((item, at) => [list.idOf(item), at]))
      this.#isUnique = this.#index.size === items.length
      this.#steps = 0
    }
    const last = this.#index ? (this.#index.get(id) ?? -1) : list.places.length - TAIL - 1
    const at = search(list, id, last + 1, 0)
    this.#steps += last - at
    if (at < last) this.#index?.set(id, at)
    return at
  }

  enter(id: string, at: number): void {
    this.#index?.set(id, at)
  }

  /** The item goes. In a list that no reducer made another one with its id may stand further down. */
  leave(id: string): void {
    if (this.#isUnique) this.#index?.delete(id)
  }
}

/** Looks from the one position down to the other; returns -1 if the id is not there. */
export function search<Item extends object>(
  { places, idOf }: Searched<Item>,
  id: string,
  from: number,
  to: number,
): number {
  for (let at = from - 1; at >= to; at -= 1) {
    const item = places[at]
    if (item && idOf(item) === id) return at
  }
  return -1
}

/**
 * The positions of the newest list of each session, for the next batch: so a long session is indexed once. They belong to one list
 * alone. Who goes on from an older list finds none and makes others, so they are about time and nothing else.
 */
const memo = new WeakMap<readonly object[], Positions>()

/** Returns the positions of a list. Not to be kept for one that others may copy: the first copy takes them along. */
export function positionsOf(items: readonly object[]): Positions {
  const positions = memo.get(items) ?? new Positions()
  memo.set(items, positions)
  return positions
}

/** Hands the positions, if there are any, on to a copy in which every item stands where it did, and which is going to change. */
export function passPositions(from: readonly object[], to: readonly object[]): Positions | undefined {
  const positions = memo.get(from)
  if (!positions) return undefined
  memo.delete(from)
  memo.set(to, positions)
  return positions
}
