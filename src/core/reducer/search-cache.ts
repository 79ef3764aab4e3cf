/** No items, and no groupings. */
export const NO_ENTRIES: readonly never[] = []

/** The ascending indexes of the items of each group. */
export type Places = Map<string, number[]>

/** The places of one grouping. */
export interface Grouping {
  /** Takes an item of the list. */
  groupOf(item: object): string | undefined
  readonly places: Places
}

/** Returns where the index stands, or would stand. Most of them stand last. */
export function placeIn(known: readonly number[], index: number): number {
  let at = known.length
  for (let first = 0; first < at && (known[at - 1] ?? 0) >= index; ) {
    const middle = (first + at) >>> 1
    if ((known[middle] ?? 0) < index) first = middle + 1
    else at = middle
  }
  return at
}

/** Results of earlier searches in a list. */
export interface SearchCache {
  /** By id, the last index where the item can be. After a removal an item can only stand nearer to the start. */
  index: Map<string, number> | undefined
  isUnique: boolean
  /** Failed comparisons since the index was built. */
  comparisons: number
  /** The groupings that somebody has asked for. */
  groupings: readonly Grouping[]
}

/**
 * The cache of the newest list of each session, so that a long session is indexed once and not in each batch. A batch
 * that starts from an older list finds no cache and fills a new one. The cache only saves time.
 */
export const caches = new WeakMap<readonly object[], SearchCache>()

/** A batch may keep the cache of its own copy alone: for another list, the first copy takes the cache away. */
export function cacheOf(items: readonly object[]): SearchCache {
  const cache = caches.get(items) ?? {
    index: undefined,
    isUnique: true,
    comparisons: 0,
    groupings: NO_ENTRIES,
  }
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
