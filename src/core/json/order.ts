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
