import type { Mutable } from '../json/mutable.ts'
import { shallowCopy } from '../json/with-changes.ts'

/** An item of a list, and where it stands. */
export interface PlacedItem<Item> {
  readonly index: number
  readonly item: Item
}

/** A search compares this many items at the end first, because most events concern one of them. */
export const TAIL = 16

/** Returns the index of the last item with the id, if it is near the end, and -1 otherwise. */
export function tailIndex<Key extends string>(
  items: readonly { readonly [Each in Key]: string }[],
  key: Key,
  id: string,
): number {
  const first = Math.max(0, items.length - TAIL)
  for (let index = items.length - 1; index >= first; index -= 1) if (items[index]?.[key] === id) return index
  return -1
}

/** Returns the group of an item, or undefined if the item is in none. */
export type GroupOf<Item> = (item: Item) => string | undefined

/** After this many failed comparisons for each item of a list, in one batch or in several, an index is cheaper. */
const COMPARISONS_BEFORE_INDEX = 4

/**
 * A list that a batch changes. The first change copies the list. Later changes edit the copy, and `finish` freezes the items
 * that the batch made. The base list and its items never change.
 */
export class OwnedList<Item extends object> {
  readonly #idOf: (item: Item) => string
  readonly #groupings: readonly GroupOf<Item>[]
  /** The batch's own items in places of base items. */
  #replacements: Set<Item> | undefined
  /** The last one of them. Most changes in a row concern one item. */
  #lastReplacement: Item | undefined
  /** All items from this index on are the batch's own. */
  #firstOwn: number
  /** The base, or the copy. */
  #items: readonly Item[]
  /** The copy. A removed item leaves a gap: moving all later items at each removal takes too long in a long list. */
  #own: (Item | undefined)[] | undefined
  #hasGaps = false
  #cache: SearchCache | undefined

  constructor(
    base: readonly Item[],
    idOf: (item: Item) => string,
    groupings: readonly GroupOf<Item>[] = NO_GROUPINGS,
  ) {
    this.#items = base
    this.#firstOwn = base.length
    this.#idOf = idOf
    this.#groupings = groupings
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
   * Returns the items of a group, in order. The first question visits the whole list. Later changes keep the result right, except one
   * that puts an item into another group through `edit`: `replace` it.
   */
  inGroup(groupOf: GroupOf<Item>, group: string): readonly PlacedItem<Item>[] {
    const places = this.#placesOf(groupOf)
    const known = places.get(group)
    if (!known) return NO_ENTRIES
    const entries: PlacedItem<Item>[] = []
    for (const index of known) {
      const item = this.#items[index]
      if (!item || groupOf(item) !== group) continue
      known[entries.length] = index
      entries.push({ index, item })
    }
    known.length = entries.length
    return entries
  }

  /** Returns the items of a group, the last one first. */
  *inGroupFromEnd(groupOf: GroupOf<Item>, group: string): Generator<Item, undefined> {
    const known = this.#placesOf(groupOf).get(group) ?? NO_ENTRIES
    for (let at = known.length - 1; at >= 0; at -= 1) {
      const item = this.#items[known[at] ?? -1]
      if (item && groupOf(item) === group) yield item
    }
  }

  /** Returns all items, the last one first. It closes no gaps. */
  *fromEnd(): Generator<Item, undefined> {
    for (let index = this.#items.length - 1; index >= 0; index -= 1) {
      const item = this.#items[index]
      if (item) yield item
    }
  }

  /** The list keeps the item itself and freezes it in `finish`, so it has to be a new copy. */
  append(item: Item): void {
    const index = this.#items.length
    // A copy that grows at once would be copied again.
    if (this.#own) this.#own.push(item)
    else this.#setOwn(this.#items.concat([item]))
    this.#cache?.index?.set(this.#idOf(item), index)
    if (this.#cache?.groups) this.#addToGroups(this.#cache.groups, item, index)
  }

  /** Puts a new copy before the item at the index. All later items move, so searches begin anew: for rare cases alone. */
  insert(index: number, item: Item): void {
    if (index >= this.items.length) return this.append(item)
    const own = this.#mutable()
    own.splice(index, 0, item)
    caches.delete(this.#items)
    this.#cache = undefined
    if (index >= this.#firstOwn) return
    this.#firstOwn += 1
    this.#addReplacement(item)
  }

  /** Puts a new copy in the place of an item. The id may differ. */
  replace(index: number, item: Item): void {
    const id = this.#idOf(item)
    const before = this.#items[index]
    // An item keeps its id as a rule. Then the index by id stays right.
    if (!before || this.#idOf(before) !== id) {
      this.#makeGap(index)
      this.#cache?.index?.set(id, index)
    }
    this.#mutable()[index] = item
    if (this.#cache?.groups) this.#addToGroups(this.#cache.groups, item, index)
    if (index < this.#firstOwn) this.#addReplacement(item)
  }

  /** Returns the item as the batch's own copy, which the caller may change. */
  edit<Kind extends Item>({ index, item }: PlacedItem<Kind>): Mutable<Kind> {
    if (this.#isOwn(index, item)) return item
    const copy = shallowCopy(item)
    this.#mutable()[index] = copy
    this.#addReplacement(copy)
    return copy
  }

  remove(index: number): void {
    const item = this.#items[index]
    // A branch may keep the item.
    if (item && this.#isOwn(index, item)) Object.freeze(item)
    this.#makeGap(index)
    this.#hasGaps = true
  }

  /** Returns the list for the state: the base itself if nothing has changed. */
  finish(): readonly Item[] {
    const { items } = this
    for (const item of this.#replacements ?? NO_ITEMS) Object.freeze(item)
    for (let index = this.#firstOwn; index < items.length; index += 1) Object.freeze(items[index])
    return items
  }

  #isOwn(index: number, item: Item): boolean {
    if (index >= this.#firstOwn || item === this.#lastReplacement) return true
    return this.#replacements?.has(item) === true
  }

  #addReplacement(item: Item): void {
    this.#replacements ??= new Set<Item>()
    this.#replacements.add(item)
    this.#lastReplacement = item
  }

  #closeGaps(): void {
    const isThere = (item: Item | undefined): item is Item => item !== undefined
    const firstOwn = this.#items.slice(0, this.#firstOwn).filter(isThere).length
    this.#setOwn(this.#items.filter(isThere))
    if (this.#cache) this.#cache.groups = undefined
    this.#firstOwn = firstOwn
  }

  #makeGap(index: number): void {
    const own = this.#mutable()
    const item = own[index]
    // A list that no reducer made may have a second item with the id, nearer to the start.
    if (item && this.#cache?.isUnique) this.#cache.index?.delete(this.#idOf(item))
    own[index] = undefined
  }

  #mutable(): (Item | undefined)[] {
    // `[...base]`: slicing a frozen array is many times slower.
    return this.#own ?? this.#setOwn([...this.#items])
  }

  #setOwn(items: Item[]): (Item | undefined)[] {
    this.#cache = moveCache(this.#items, items)
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

  #placesOf(groupOf: GroupOf<Item>): Places {
    const at = this.#groupings.indexOf(groupOf)
    const cache = this.#getOrCreateCache()
    const known = cache.groups?.[at]
    if (known) return known
    const places: Places = new Map()
    for (const [index, item] of this.#items.entries()) if (item) addPlace(places, groupOf(item), index)
    cache.groups ??= this.#groupings.map(() => undefined)
    cache.groups[at] = places
    return places
  }

  #addToGroups(groups: readonly (Places | undefined)[], item: Item, index: number): void {
    for (let at = 0; at < groups.length; at += 1) {
      const places = groups[at]
      if (places) addPlace(places, this.#groupings[at]?.(item), index)
    }
  }

  #indexBeforeTail(id: string): number {
    const cache = this.#getOrCreateCache()
    if (cache.comparisons > COMPARISONS_BEFORE_INDEX * this.#items.length) this.#buildIndex(cache)
    const last = cache.index ? (cache.index.get(id) ?? -1) : this.#items.length - TAIL - 1
    const index = this.#search(id, last, 0)
    cache.comparisons += last - index
    if (index < last) cache.index?.set(id, index)
    return index
  }

  #buildIndex(cache: SearchCache): void {
    const { items } = this
    cache.index = new Map(items.map((item, index) => [this.#idOf(item), index]))
    cache.isUnique = cache.index.size === items.length
    cache.comparisons = 0
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

const NO_ITEMS: readonly never[] = []
const NO_ENTRIES: readonly never[] = []
const NO_GROUPINGS: readonly never[] = []

/** By group, the ascending indexes where its items are. An item there may have left the group since, or be gone. */
type Places = Map<string, number[]>

function addPlace(places: Places, group: string | undefined, index: number): void {
  if (group === undefined) return
  const known = places.get(group)
  if (!known) {
    places.set(group, [index])
    return
  }
  let at = known.length
  for (let first = 0; first < at && (known[at - 1] ?? 0) >= index; ) {
    const middle = (first + at) >>> 1
    if ((known[middle] ?? 0) < index) first = middle + 1
    else at = middle
  }
  if (known[at] !== index) known.splice(at, 0, index)
}

/** Results of earlier searches in a list. */
interface SearchCache {
  /** By id, the last index where the item can be. After a removal an item can only stand nearer to the start. */
  index: Map<string, number> | undefined
  isUnique: boolean
  /** Failed comparisons since the index was built. */
  comparisons: number
  /** The groups that somebody has asked for, in the order of the list's groupings. */
  groups: (Places | undefined)[] | undefined
}

/**
 * The cache of the newest list of each session, so that a long session is indexed once and not in each batch. A batch that starts
 * from an older list finds no cache and fills a new one. The cache only saves time.
 */
const caches = new WeakMap<readonly object[], SearchCache>()

/** A batch may keep the cache of its own copy alone: for another list, the first copy takes the cache away. */
function cacheOf(items: readonly object[]): SearchCache {
  const cache = caches.get(items) ?? { index: undefined, isUnique: true, comparisons: 0, groups: undefined }
  caches.set(items, cache)
  return cache
}

/** Moves the cache of a list, if there is one, to a copy that has each item at the same index. */
export function moveCache(from: readonly object[], to: readonly object[]): SearchCache | undefined {
  const cache = caches.get(from)
  if (!cache) return undefined
  caches.delete(from)
  caches.set(to, cache)
  return cache
}
