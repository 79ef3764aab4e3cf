import type { PersistentMap } from './persistent-map.ts'

/** Compares texts by their UTF-16 units: ids that rise, times as ISO 8601 in UTC. */
export function compareStrings(left: string, right: string): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}

interface Ordered {
  readonly order: number
}

/** Returns the items of a map in the order in which they were met: the map's own order may be another. */
export function sortedByOrder<Item extends Ordered>(
  items: PersistentMap<Item>,
  isWanted: (item: Item) => boolean = () => true,
): readonly Item[] {
  const wanted = items.values().filter(isWanted)
  return wanted.sort((left, right) => left.order - right.order)
}
