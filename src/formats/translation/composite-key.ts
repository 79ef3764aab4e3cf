/** Returns one map key for several ids. Message and call ids are unique only within a conversation or session. */
export function compositeKey(first: string, second: string, ...others: readonly string[]): string {
  // The lengths keep `a`, `bc` apart from `ab`, `c`. JSON would take several times as long.
  let key = `${first.length}:${first}${second.length}:${second}`
  for (const id of others) key += `${id.length}:${id}`
  return key
}
