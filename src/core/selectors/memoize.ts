/**
 * Returns a function that computes the result for each object once. A state and its lists never change, so the result
 * stays right as long as the object lives.
 */
export function memoizeWeakly<Key extends object, Result>(
  compute: (key: Key) => Result,
): (key: Key) => Result {
  const results = new WeakMap<Key, { readonly result: Result }>()
  return (key) => {
    const known = results.get(key)
    if (known) return known.result
    const result = compute(key)
    results.set(key, { result })
    return result
  }
}

/** Whether both lists have the same items. */
export function isSameList(left: readonly unknown[], right: readonly unknown[]): boolean {
  if (left === right) return true
  if (left.length !== right.length) return false
  for (let at = 0; at < left.length; at += 1) if (left[at] !== right[at]) return false
  return true
}
