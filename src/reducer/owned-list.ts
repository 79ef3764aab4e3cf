import { type Positions, passPositions, positionsOf, search, TAIL } from './positions.ts'

export type Mutable<Item> = { -readonly [Key in keyof Item]: Item[Key] }

interface Found<Item> {
  readonly at: number
  readonly item: Item
}

/**
 * A list as a batch changes it: copied at the first change, changed in place from then on, its own items frozen at the
 * end. The base list and its items are never touched.
 */
export class OwnedList<Item extends object> {
  readonly #base: readonly Item[]
  readonly idOf: (item: Item) => string
  readonly #ownItems = new Set<Item>()
  #own: Item[] | undefined
  #positions: Positions | undefined

  constructor(base: readonly Item[], idOf: (item: Item) => string) {
    this.#base = base
    this.idOf = idOf
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
    this.#positions?.enter(this.idOf(item), own.length)
    own.push(this.#owned(item))
  }

  /** Puts a fresh copy in the place of the item; the id may differ. */
  replace(at: number, item: Item): void {
    const own = this.#mutable()
    const before = own[at]
    if (before) this.#positions?.leave(this.idOf(before))
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
    const [item] = this.#mutable().splice(at, 1)
    if (item) this.#positions?.leave(this.idOf(item))
  }

  /** The list as it goes into the state: the base itself if nothing has changed. */
  finish(): readonly Item[] {
    for (const item of this.#ownItems) Object.freeze(item)
    return this.items
  }

  #mutable(): Item[] {
    if (this.#own) return this.#own
    // `[...base]`: slicing a frozen array is many times slower.
    this.#own = [...this.#base]
    this.#positions = passPositions(this.#base, this.#own)
    return this.#own
  }

  #owned<Kind extends Item>(item: Kind): Kind {
    this.#ownItems.add(item)
    return item
  }

  #position(id: string): number {
    const { length } = this.items
    const tailStart = Math.max(0, length - TAIL)
    const inTail = search(this, id, length, tailStart)
    if (inTail >= 0 || tailStart === 0) return inTail
    const positions = this.#positions ?? positionsOf(this.items)
    if (this.#own) this.#positions = positions
    return positions.find(this, id)
  }
}
