import type { PersistentMap } from './notes/persistent-map.ts'

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
