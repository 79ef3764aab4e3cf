/** What waits until something tells where it belongs, and what waits with it: the last first. */
export interface Buffered<Item> {
  readonly item: Item
  readonly before: Buffered<Item> | undefined
}

/** What waits, in its order. */
export function bufferedItems<Item>(last: Buffered<Item> | undefined): readonly Item[] {
  const items: Item[] = []
  for (let held = last; held; held = held.before) items.push(held.item)
  return items.reverse()
}
