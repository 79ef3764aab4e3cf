/**
 * Adds an item to a list, and returns the list. A list that begins empty reserves room for 17 items in V8, so the first
 * item makes a new one.
 */
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

/** Returns one map key for several ids. Message and call ids are unique only within a conversation or session. */
export function compositeKey(first: string, second: string, ...others: readonly string[]): string {
  // The lengths keep `a`, `bc` apart from `ab`, `c`. JSON would take several times as long. V8 keeps a sum of texts
  // as a tree of its parts. The short parts come first, so the tree is small.
  let lengths = `${first.length}:${second.length}:`
  let rest = ''
  for (const id of others) {
    lengths += `${id.length}:`
    rest += id
  }
  return lengths + first + second + rest
}

/** Compares strings by their UTF-16 units. That order suits ascending ids and ISO 8601 times in UTC. */
export function compareStrings(left: string, right: string): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}

/**
 * Returns the greatest of the numbers, or 0 if none is greater. `Math.max(...numbers)` overflows the stack with more
 * than about 100,000 numbers.
 */
export function greatest(numbers: readonly number[]): number {
  return numbers.reduce((last, each) => Math.max(last, each), 0)
}

/**
 * Returns a time in ms since the epoch, or NaN. A time without a zone is UTC, because the zone of the machine would
 * give another result on each machine.
 */
export function timeInMs(timestamp: string = ''): number {
  return Date.parse(/Z|[+-]\d\d:?\d\d$/i.test(timestamp) ? timestamp : `${timestamp}Z`)
}
