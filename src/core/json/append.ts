/** Adds an item to a list, and returns the list. A list that begins empty reserves room for 17 items in V8, so the first item makes a new one. */
export function appendTo<Item>(list: Item[] | undefined, item: Item): Item[] {
  if (!list || list.length === 0) return [item]
  list.push(item)
  return list
}

/** Adds a value to the list that a map has for the key. */
export function addToList<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key)
  if (list) list.push(value)
  else lists.set(key, [value])
}
