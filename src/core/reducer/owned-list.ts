import { type Mutable, shallowCopy } from '../json/fields.ts'
import {
  buildIndex,
  cacheOf,
  caches,
  type Grouping,
  moveCache,
  NO_ENTRIES,
  type Places,
  placeItems,
  regroup,
  type SearchCache,
} from './search-cache.ts'

/** An item of a list, and where it stands. */
export interface PlacedItem<Item> {
  readonly index: number
  readonly item: Item
}

/** A search compares this many items at the end first, because most events concern one of them. */
const TAIL = 16

/** Returns the group of an item, or undefined if the item is in none. A list knows a grouping by its function. */
export type GroupOf<Item> = (item: Item) => string | undefined

/** Returns a copy of an item, which the caller may change. */
type CopyOf<Item> = <Kind extends Item>(item: Kind) => Mutable<Kind>

/** After this many failed comparisons for each item of a list, in one batch or in several, an index is cheaper. */
const COMPARISONS_BEFORE_INDEX = 4

/** A removal closes its gap at once if at most this many items are behind it. */
const FEW = 64

/**
 * A list that a batch changes. The first change copies the list. Later changes edit the copy, and `finish` freezes
 * the items that the batch made. The base list and its items never change.
 */
export class OwnedList<Item extends object> {
  readonly #idOf: (item: Item) => string
  readonly #copyOf: CopyOf<Item>
  /** The batch's own item that took the place of a base item last. Most changes in a row concern one item. */
  #lastReplacement: Item | undefined
  /** The earlier ones. */
  #replacements: Set<Item> | undefined
  /** All items from this index on are the batch's own. */
  #firstOwn: number
  /** The base, or the copy. */
  #items: readonly Item[]
  /** The copy. An item that is removed far from the end leaves a gap: moving all later items each time takes too long. */
  #own: (Item | undefined)[] | undefined
  #hasGaps = false
  #cache: SearchCache | undefined
  /** The index of the item that was edited last. It is in its earlier groups until somebody asks for one. */
  #edited: number | undefined
  #earlierGroups: readonly (string | undefined)[] = NO_ENTRIES

  constructor(base: readonly Item[], idOf: (item: Item) => string, copyOf: CopyOf<Item> = shallowCopy) {
    this.#items = base
    this.#copyOf = copyOf
    this.#firstOwn = base.length
    this.#idOf = idOf
  }

  /** All items. Reading them closes the gaps, so the index of an earlier entry may be wrong afterwards. */
  get items(): readonly Item[] {
    if (this.#hasGaps) this.#closeGaps()
    return this.#items
  }

  /** Returns the last item with the id. */
  find(id: string): PlacedItem<Item> | undefined {
    const index = this.#indexOf(id)
    // V8 takes a slow path for a negative index.
    const item = index < 0 ? undefined : this.#items[index]
    return item && { index, item }
  }

  /**
   * Returns the items of a group, in order. The first question for a grouping visits the whole list. Later changes keep
   * the result right.
   */
  inGroup(groupOf: GroupOf<Item>, group: string): readonly PlacedItem<Item>[] {
    const entries: PlacedItem<Item>[] = []
    for (const index of this.#placesIn(groupOf, group)) {
      const item = this.#items[index]
      if (item) entries.push({ index, item })
    }
    return entries
  }

  /** Returns the first item of a group that passes a test. A group may have many. */
  firstInGroup(groupOf: GroupOf<Item>, group: string, isWanted?: (item: Item) => boolean): Item | undefined {
    for (const index of this.#placesIn(groupOf, group)) {
      const item = this.#items[index]
      if (item && (!isWanted || isWanted(item))) return item
    }
    return undefined
  }

  /** Returns the items of a group, or all, the last one first. It closes no gaps. */
  *fromEnd(groupOf?: GroupOf<Item>, group?: string): Generator<Item, undefined> {
    const known = groupOf && group !== undefined ? this.#placesIn(groupOf, group) : undefined
    for (let at = (known ?? this.#items).length - 1; at >= 0; at -= 1) {
      const item = this.#items[known ? (known[at] ?? -1) : at]
      if (item && groupOf?.(item) === group) yield item
    }
  }

  /** The list keeps the item itself and freezes it in `finish`, so it has to be a new copy. */
  append(item: Item): void {
    const index = this.#items.length
    // A copy that grows at once would be copied again.
    if (this.#own) this.#own.push(item)
    else this.#setOwn(this.#items.concat([item]))
    this.#cache?.index?.set(this.#idOf(item), index)
    this.#place(true, index)
  }

  /** Puts a new copy before the item at the index. All later items move. */
  insert(index: number, item: Item): void {
    const own = this.#mutable()
    this.#place(false, index, own.length)
    own.splice(index, 0, item)
    this.#place(true, index, own.length)
    for (let at = index; at < own.length; at += 1) {
      const each = own[at]
      if (each) this.#cache?.index?.set(this.#idOf(each), at)
    }
    if (index >= this.#firstOwn) return
    this.#firstOwn += 1
    this.#addReplacement(item)
  }

  /** Puts a new copy in the place of an item. The id may differ. */
  replace(index: number, item: Item): void {
    const id = this.#idOf(item)
    const before = this.#items[index]
    const own = this.#mutable()
    // An item keeps its id as a rule. Then the index by id stays right.
    if (!before || this.#idOf(before) !== id) {
      this.#forgetId(before)
      this.#cache?.index?.set(id, index)
    }
    const groups = this.#groupsAt(index)
    own[index] = item
    this.#regroup(index, groups)
    if (index < this.#firstOwn) this.#addReplacement(item)
  }

  /** Returns the item as the batch's own copy. The caller may change it before it asks the list anything else. */
  edit<Kind extends Item>({ index, item }: PlacedItem<Kind>): Mutable<Kind> {
    const own = this.#mutable()
    if (this.#cache && this.#edited !== index) {
      this.#earlierGroups = this.#groupsAt(index)
      this.#edited = index
    }
    if (this.#isOwn(index, item)) return item
    const copy = this.#copyOf(item)
    own[index] = copy
    this.#addReplacement(copy)
    return copy
  }

  /** Removes an item. The items behind it may move. */
  remove(index: number): void {
    const item = this.#items[index]
    const own = this.#mutable()
    // A branch may keep the item.
    if (item && this.#isOwn(index, item)) Object.freeze(item)
    this.#forgetId(item)
    const isFar = own.length - index > FEW
    const end = isFar ? index + 1 : own.length
    this.#place(false, index, end)
    if (isFar) {
      own[index] = undefined
      this.#hasGaps = true
      return
    }
    own.splice(index, 1)
    this.#place(true, index, own.length)
    if (index < this.#firstOwn) this.#firstOwn -= 1
  }

  /** Returns the list for the state: the base itself if nothing has changed. */
  finish(): readonly Item[] {
    const { items } = this
    // The next batch finds the cache, and the item that was edited last has to be in its groups.
    if (this.#edited !== undefined) this.#groupings()
    if (this.#lastReplacement) Object.freeze(this.#lastReplacement)
    if (this.#replacements) for (const item of this.#replacements) Object.freeze(item)
    for (let index = this.#firstOwn; index < items.length; index += 1) Object.freeze(items[index])
    return items
  }

  #isOwn(index: number, item: Item): boolean {
    return index >= this.#firstOwn || item === this.#lastReplacement || !!this.#replacements?.has(item)
  }

  #addReplacement(item: Item): void {
    if (this.#lastReplacement) {
      this.#replacements ??= new Set<Item>()
      this.#replacements.add(this.#lastReplacement)
    }
    this.#lastReplacement = item
  }

  #closeGaps(): void {
    const own = this.#mutable()
    let count = 0
    let ofBase = 0
    for (const [index, item] of own.entries()) {
      if (!item) continue
      if (index < this.#firstOwn) ofBase += 1
      own[count] = item
      count += 1
    }
    own.length = count
    this.#firstOwn = ofBase
    this.#hasGaps = false
    this.#edited = undefined
    if (this.#cache) this.#cache.groupings = NO_ENTRIES
  }

  /** Takes the id of an item that leaves its place off the index. */
  #forgetId(item: Item | undefined): void {
    // A list that no reducer made may have a second item with the id, nearer to the start.
    if (item && this.#cache?.isUnique) this.#cache.index?.delete(this.#idOf(item))
  }

  #mutable(): (Item | undefined)[] {
    return this.#own ?? this.#setOwn(this.#items.slice())
  }

  #setOwn(items: Item[]): (Item | undefined)[] {
    // No search of a short list uses a cache.
    if (items.length > TAIL) this.#cache = moveCache(this.#items, items)
    this.#items = items
    this.#own = items
    this.#hasGaps = false
    return items
  }

  #indexOf(id: string): number {
    const { length } = this.#items
    const last = length === 0 ? undefined : this.#items[length - 1]
    if (last && this.#idOf(last) === id) return length - 1
    if (this.#own && this.#cache?.index) return this.#indexBeforeTail(id)
    const tailStart = Math.max(0, length - TAIL)
    const inTail = this.#search(id, length - 1, tailStart)
    return inTail >= 0 || tailStart === 0 ? inTail : this.#indexBeforeTail(id)
  }

  #getOrCreateCache(): SearchCache {
    const cache = this.#cache ?? cacheOf(this.#items)
    if (this.#own) this.#cache = cache
    return cache
  }

  /** Returns the indexes of the items of a group, in order. A short list needs no index. */
  #placesIn(groupOf: GroupOf<Item>, group: string): readonly number[] {
    if (this.#items.length > TAIL) return this.#placesOf(groupOf).get(group) ?? NO_ENTRIES
    const places: number[] = []
    for (let index = 0; index < this.#items.length; index += 1) {
      const item = this.#items[index]
      if (item && groupOf(item) === group) places.push(index)
    }
    return places
  }

  #placesOf(groupOf: GroupOf<Item>): Places {
    const known = this.#groupings().find((each) => each.groupOf === groupOf)
    if (known) return known.places
    const added = { groupOf, places: new Map() }
    this.#place(true, 0, this.#items.length, [added])
    const cache = this.#getOrCreateCache()
    cache.groupings = [...cache.groupings, added]
    return added.places
  }

  /** Returns the groupings that somebody has asked for, with the item that was edited last in its groups. */
  #groupings(): readonly Grouping[] {
    const index = this.#edited
    this.#edited = undefined
    if (index !== undefined) this.#regroup(index, this.#earlierGroups)
    return (this.#own ? this.#cache : caches.get(this.#items))?.groupings ?? NO_ENTRIES
  }

  /** Returns the group of an item in each grouping. */
  #groupsAt(index: number): readonly (string | undefined)[] {
    const groupings = this.#groupings()
    const item = this.#items[index]
    return item && groupings.length > 0 ? groupings.map(({ groupOf }) => groupOf(item)) : NO_ENTRIES
  }

  #regroup(index: number, earlier: readonly (string | undefined)[]): void {
    regroup(this.#groupings(), { item: this.#items[index], index, earlier })
  }

  /** Puts the items between two indexes into their groups, or takes them out. */
  #place(isIn: boolean, from: number, to: number = from + 1, groupings = this.#groupings()): void {
    placeItems(groupings, this.#items, { isIn, from, to })
  }

  #indexBeforeTail(id: string): number {
    const cache = this.#getOrCreateCache()
    if (cache.comparisons > COMPARISONS_BEFORE_INDEX * this.#items.length)
      buildIndex(cache, this.items, this.#idOf)
    const last = cache.index ? (cache.index.get(id) ?? -1) : this.#items.length - TAIL - 1
    const index = this.#search(id, last, 0)
    cache.comparisons += last - index
    if (index < last) cache.index?.set(id, index)
    return index
  }

  /** Compares the items from the one index down to the other. Returns -1 if none has the id. */
  #search(id: string, from: number, to: number): number {
    const items = this.#items
    const idOf = this.#idOf
    for (let index = from; index >= to; index -= 1) {
      const item = items[index]
      if (item && idOf(item) === id) return index
    }
    return -1
  }
}
