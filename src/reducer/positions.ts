/** Events nearly always concern one of the last items, so a short look from the end saves the index. */
export const TAIL = 16

/** After so many searches through the whole list, in one batch or in several, an index is cheaper. */
const SEARCHES_BEFORE_INDEX = 4

/** Each removal may cost a step for every item that is looked for, so after so many the index does not go on to the next batch. */
const MAX_REMOVED = 32

/** A list as it is searched: `items`, and what their ids are. */
interface Searched<Item extends object> {
  readonly items: readonly Item[]
  idOf(item: Item): string
}

/** Where the items of a list stand, as far as somebody has asked. */
export class Positions {
  #index: Map<string, number> | undefined
  #searches = 0
  #removed = 0

  /** Returns where the item stands in the list, or -1; among the last ones somebody has looked already. */
  find<Item extends object>(list: Searched<Item>, id: string): number {
    const { items } = list
    // Where ids repeat, or somebody else has changed the list, an index does not tell all.
    if (this.#index?.size === items.length) return this.#indexed(list, id, this.#index)
    this.#searches += 1
    if (this.#searches <= SEARCHES_BEFORE_INDEX) return search(list, id, items.length - TAIL, 0)
    this.#index = new Map(items.map((item, at) => [list.idOf(item), at]))
    this.#removed = 0
    this.#searches = 0
    return this.#index.get(id) ?? -1
  }

  enter(id: string, at: number): void {
    this.#index?.set(id, at)
  }

  leave(id: string): void {
    this.#index?.delete(id)
  }

  /** The item is gone, and those behind it have moved down by one. */
  remove(id: string): void {
    this.leave(id)
    this.#removed += 1
  }

  /** Returns positions that know all that these do; these know nothing any more. */
  take(): Positions {
    const taken = new Positions()
    taken.#searches = this.#searches
    if (this.#removed <= MAX_REMOVED) {
      taken.#index = this.#index
      taken.#removed = this.#removed
    }
    this.#index = undefined
    return taken
  }

  /**
   * Since the index was made an item can only have moved down, by one for each that was removed: not at all where the
   * last items go, all the way where the first do, so both ends of the range are looked at first.
   */
  #indexed<Item extends object>(list: Searched<Item>, id: string, index: Map<string, number>): number {
    const last = index.get(id)
    if (last === undefined) return -1
    let low = Math.max(0, last - this.#removed)
    for (let high = last; high >= low; high -= 1, low += 1)
      for (const at of [high, low]) {
        const item = list.items[at]
        if (!item || list.idOf(item) !== id) continue
        index.set(id, at)
        return at
      }
    return -1
  }
}

/** Looks from the one position down to the other; returns -1 if the id is not there. */
export function search<Item extends object>(
  { items, idOf }: Searched<Item>,
  id: string,
  from: number,
  to: number,
): number {
  for (let at = from - 1; at >= to; at -= 1) {
    const item = items[at]
    if (item && idOf(item) === id) return at
  }
  return -1
}

/**
 * The positions of the newest list of each session, for the next batch: so a long session is indexed once. They belong to one list
 * alone. Who goes on from an older list finds none and makes others, so they are about time and nothing else.
 */
const memo = new WeakMap<readonly object[], Positions>()

/** Returns the positions of a list that does not change. */
export function positionsOf(items: readonly object[]): Positions {
  const positions = memo.get(items) ?? new Positions()
  memo.set(items, positions)
  return positions
}

/** Returns the positions for a copy of the list that is going to change. */
export function takePositions(items: readonly object[]): Positions {
  const positions = memo.get(items)
  memo.delete(items)
  return positions?.take() ?? new Positions()
}

/** Gives a list the positions that were kept while it changed. */
export function keepPositions(items: readonly object[], positions: Positions): void {
  memo.set(items, positions)
}

/** Hands the positions on to a copy in which every item stands where it did. */
export function passPositions(from: readonly object[], to: readonly object[]): void {
  const positions = from.length > TAIL ? memo.get(from) : undefined
  if (!positions) return
  memo.delete(from)
  memo.set(to, positions)
}
