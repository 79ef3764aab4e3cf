import type { PersistentMap } from './notes/persistent-map.ts'

/** Compares strings by their UTF-16 units. That order suits ascending ids and ISO 8601 times in UTC. */
export function compareStrings(left: string, right: string): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}

interface Ordered {
  readonly order: number
}

/** Returns the wanted items of a map by their `order`. The map's own order may differ. */
export function sortedByOrder<Item extends Ordered>(
  items: PersistentMap<Item>,
  isWanted: (item: Item) => boolean = () => true,
): readonly Item[] {
  const wanted = items.values().filter(isWanted)
  return wanted.sort((left, right) => left.order - right.order)
}
