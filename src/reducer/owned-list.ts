import { type Positions, passPositions, positionsOf, search, TAIL } from './positions.ts'

export type Mutable<Item> = { -readonly [Key in keyof Item]: Item[Key] }

export interface Found<Item> {
  readonly at: number
  readonly item: Item
}

/**
 * A list as a batch changes it: copied at the first change, changed in place from then on, its own items frozen at the
 * end. The base list and its items are never touched.
 */
export class OwnedList<Item extends object> {
  readonly idOf: (item: Item) => string
  readonly #ownItems = new Set<Item>()
  /** The base, or the copy. */
  #items: readonly Item[]
  /** The copy. An item that is removed leaves a gap: to move all behind it, each time, takes long in a long list. */
  #own: (Item | undefined)[] | undefined
  #hasGaps = false
  #positions: Positions | undefined

  constructor(base: readonly Item[], idOf: (item: Item) => string) {
    this.#items = base
    this.idOf = idOf
  }

  /** All items. Closes the gaps, so where something was found before it may not be any more. */
  get items(): readonly Item[] {
    if (this.#hasGaps) this.#take(this.#items.filter((item) => item !== undefined))
    return this.#items
  }

  /** The same, with a gap where one was removed. */
  get places(): readonly (Item | undefined)[] {
    return this.#items
  }

  find(id: string): Found<Item> | undefined {
    const at = this.#position(id)
    const item = this.#items[at]
    return item && { at, item }
  }

  /** The list keeps the item itself and freezes it at the end, so it has to be a fresh copy. */
  append(item: Item): void {
    const own = this.#mutable()
    this.#positions?.enter(this.idOf(item), own.length)
    own.push(this.#owned(item))
  }

  /** Puts a fresh copy in the place of the item; the id may differ. */
  replace(at: number, item: Item): void {
    const own = this.#without(at)
    this.#positions?.enter(this.idOf(item), at)
    own[at] = this.#owned(item)
  }

  /** The item as the batch's own copy, free to change. */
  edit<Kind extends Item>({ at, item }: Found<Kind>): Mutable<Kind> {
    if (this.#ownItems.has(item)) return item
    const copy = this.#owned({ ...item })
    this.#mutable()[at] = copy
    return copy
  }

  remove(at: number): void {
    this.#without(at)
    this.#hasGaps = true
  }

  /** The list as it goes into the state: the base itself if nothing has changed. */
  finish(): readonly Item[] {
    for (const item of this.#ownItems) Object.freeze(item)
    return this.items
  }

  #without(at: number): (Item | undefined)[] {
    const own = this.#mutable()
    const item = own[at]
    if (item) this.#positions?.leave(this.idOf(item))
    own[at] = undefined
    return own
  }

  #mutable(): (Item | undefined)[] {
    // `[...base]`: slicing a frozen array is many times slower.
    return this.#own ?? this.#take([...this.#items])
  }

  #take(items: Item[]): (Item | undefined)[] {
    this.#positions = passPositions(this.#items, items)
    this.#items = items
    this.#own = items
    this.#hasGaps = false
    return items
  }

  #owned<Kind extends Item>(item: Kind): Kind {
    this.#ownItems.add(item)
    return item
  }

  #position(id: string): number {
    const { length } = this.#items
    const tailStart = Math.max(0, length - TAIL)
    const inTail = search(this, id, length, tailStart)
    if (inTail >= 0 || tailStart === 0) return inTail
    const positions = this.#positions ?? positionsOf(this.#items)
    if (this.#own) this.#positions = positions
    return positions.find(this, id)
  }
}
