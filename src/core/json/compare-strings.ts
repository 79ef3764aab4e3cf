/** Compares strings by their UTF-16 units. That order suits ascending ids and ISO 8601 times in UTC. */
export function compareStrings(left: string, right: string): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}
