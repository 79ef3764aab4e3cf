import { addToList } from '../json/lists.ts'
import { type ConversationBlock, isCall, subagentBlockId } from '../state/block.ts'
import type { SubagentState } from '../state/session.ts'

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

/** Adds the index of an item to those of its group. */
function addPlace(places: Places, group: string, index: number): void {
  const known = places.get(group)
  if (known) known.splice(placeIn(known, index), 0, index)
  else places.set(group, [index])
}

/** Removes the index of an item from those of its group. An empty group leaves, because ids of groups come and go. */
function removePlace(places: Places, group: string, index: number): void {
  const known = places.get(group)
  known?.splice(placeIn(known, index), 1)
  if (known?.length === 0) places.delete(group)
}

/** Returns where the index stands, or would stand. Most of them stand last. */
function placeIn(known: readonly number[], index: number): number {
  let at = known.length
  for (let first = 0; first < at && (known[at - 1] ?? 0) >= index; ) {
    const middle = (first + at) >>> 1
    if ((known[middle] ?? 0) < index) first = middle + 1
    else at = middle
  }
  return at
}

interface ChangedItem {
  readonly item: object | undefined
  readonly index: number
  /** The groups before the change, one for each grouping. */
  readonly earlier: readonly (string | undefined)[]
}

/** Moves a changed item to its groups. Most changes leave it in them, and a group may have many items. */
export function regroup(groupings: readonly Grouping[], { item, index, earlier }: ChangedItem): void {
  for (const [at, { groupOf, places }] of groupings.entries()) {
    const group = item && groupOf(item)
    const before = earlier[at]
    if (group === before) continue
    if (before !== undefined) removePlace(places, before, index)
    if (group !== undefined) addPlace(places, group, index)
  }
}

interface PlacedRange {
  readonly isIn: boolean
  readonly from: number
  readonly to: number
}

/** Puts the items between two indexes into their groups, or takes them out. */
export function placeItems(
  groupings: readonly Grouping[],
  items: readonly (object | undefined)[],
  { isIn, from, to }: PlacedRange,
): void {
  for (const { groupOf, places } of groupings)
    for (let index = from; index < to; index += 1) {
      const item = items[index]
      const group = item && groupOf(item)
      if (group === undefined) continue
      if (isIn) addPlace(places, group, index)
      else removePlace(places, group, index)
    }
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

/** Makes the index by id of a list without gaps. */
export function buildIndex<Item>(
  cache: SearchCache,
  items: readonly Item[],
  idOf: (item: Item) => string,
): void {
  cache.index = new Map(items.map((item, index) => [idOf(item), index]))
  cache.isUnique = cache.index.size === items.length
  cache.comparisons = 0
}

/** Moves the cache of a list, if there is one, to a copy that has each item at the same index. */
export function moveCache(from: readonly object[], to: readonly object[]): SearchCache | undefined {
  const cache = caches.get(from)
  if (!cache) return undefined
  caches.delete(from)
  caches.set(to, cache)
  return cache
}

/**
 * By the id of the block of a call, of its result or of a request, the subagents whose conversations can hold the
 * block. A forked agent repeats the calls of its parent. The block may be gone since.
 */
export type CallIndex = Map<string, string[]>

/** Adds the block to the index if it is a call, a result or a request. */
export function indexCall(index: CallIndex, conversationId: string, block: ConversationBlock): void {
  const { id, type } = block
  const isIndexed = isCall(block) || type === 'tool_result' || type === 'request'
  if (isIndexed && !index.get(id)?.includes(conversationId)) addToList(index, id, conversationId)
}

/** Returns the ids that the block of a call can have. */
export function callBlockIds(toolUseId: string): readonly string[] {
  return [toolUseId, subagentBlockId(toolUseId)]
}

/** The index of the newest list of subagents of each session, as the caches of lists. */
const indexes = new WeakMap<readonly SubagentState[], CallIndex>()

/** Returns the index beside a list, and takes it away from there, because the caller changes it. */
export function takeCallIndex(subagents: readonly SubagentState[]): CallIndex | undefined {
  const index = indexes.get(subagents)
  indexes.delete(subagents)
  return index
}

/** Puts the index beside the list that it belongs to. */
export function keepCallIndex(subagents: readonly SubagentState[], index: CallIndex): void {
  indexes.set(subagents, index)
}
