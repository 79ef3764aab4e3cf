/** Returns the greatest of the numbers, or 0 if none is greater. `Math.max(...numbers)` overflows the stack with more than about 100,000 numbers. */
export function greatest(numbers: readonly number[]): number {
  return numbers.reduce((last, each) => Math.max(last, each), 0)
}
