/** What waits until something tells where it belongs, and what waits with it: the last first. */
export interface Held<Item> {
  readonly item: Item
  readonly before: Held<Item> | undefined
}

/** What waits, in its order. */
export function heldItems<Item>(last: Held<Item> | undefined): readonly Item[] {
  const items: Item[] = []
  for (let held = last; held; held = held.before) items.push(held.item)
  return items.reverse()
}
