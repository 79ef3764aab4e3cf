export type Mutable<Item> = { -readonly [Key in keyof Item]: Item[Key] }

export interface Found<Item> {
  readonly at: number
  readonly item: Item
}

/** Deltas nearly always hit one of the last items, so a short look from the end saves the index. */
export const TAIL = 16

/** After so many searches through the whole list an index is cheaper. */
const SEARCHES_BEFORE_INDEX = 4

/**
 * A list as a batch changes it: copied at the first change, changed in place from then on, its own items frozen at the
 * end. The base list and its items are never touched.
 */
export class OwnedList<Item extends object> {
  readonly #base: readonly Item[]
  readonly #idOf: (item: Item) => string
  readonly #ownItems = new Set<Item>()
  #own: Item[] | undefined
  #positions: Map<string, number> | undefined
  #searches = 0
  #removed = 0

  constructor(base: readonly Item[], idOf: (item: Item) => string) {
    this.#base = base
    this.#idOf = idOf
  }

  get items(): readonly Item[] {
    return this.#own ?? this.#base
  }

  get isChanged(): boolean {
    return this.#own !== undefined
  }

  find(id: string): Found<Item> | undefined {
    const at = this.#position(id)
    const item = this.items[at]
    return item && { at, item }
  }

  /** The list keeps the item itself and freezes it at the end, so it has to be a fresh copy. */
  append(item: Item): void {
    const own = this.#mutable()
    this.#positions?.set(this.#idOf(item), own.length)
    own.push(this.#owned(item))
  }

  /** Puts a fresh copy in the place of the item; the id may differ. */
  replace(at: number, item: Item): void {
    const own = this.#mutable()
    const before = own[at]
    if (before) this.#positions?.delete(this.#idOf(before))
    this.#positions?.set(this.#idOf(item), at)
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
    const [item] = this.#mutable().splice(at, 1)
    if (item) this.#positions?.delete(this.#idOf(item))
    this.#removed += 1
  }

  /** The list as it goes into the state: the base itself if nothing has changed. */
  finish(): readonly Item[] {
    for (const item of this.#ownItems) Object.freeze(item)
    return this.items
  }

  #mutable(): Item[] {
    // `[...base]`: slicing a frozen array is many times slower.
    this.#own ??= [...this.#base]
    return this.#own
  }

  #owned<Kind extends Item>(item: Kind): Kind {
    this.#ownItems.add(item)
    return item
  }

  #position(id: string): number {
    const { items } = this
    const tailStart = Math.max(0, items.length - TAIL)
    const inTail = this.#search(id, items.length, tailStart)
    if (inTail >= 0 || tailStart === 0) return inTail
    if (this.#positions) return this.#indexed(id, this.#positions)
    this.#searches += 1
    if (this.#searches <= SEARCHES_BEFORE_INDEX) return this.#search(id, tailStart, 0)
    this.#positions = new Map(items.map((item, at) => [this.#idOf(item), at]))
    this.#removed = 0
    return this.#positions.get(id) ?? -1
  }

  /**
   * Since the index was made an item can only have moved down, by one for each that was removed: not at all where the
   * last items go, all the way where the first do, so both ends of the range are looked at first.
   */
  #indexed(id: string, positions: Map<string, number>): number {
    const last = positions.get(id)
    if (last === undefined) return -1
    let low = Math.max(0, last - this.#removed)
    for (let high = last; high >= low; high -= 1, low += 1)
      for (const at of [high, low]) {
        const item = this.items[at]
        if (!item || this.#idOf(item) !== id) continue
        positions.set(id, at)
        return at
      }
    return -1
  }

  #search(id: string, from: number, to: number): number {
    const { items } = this
    for (let at = from - 1; at >= to; at -= 1) {
      const item = items[at]
      if (item && this.#idOf(item) === id) return at
    }
    return -1
  }
}
