/** Returns one map key for several ids. Message and call ids are unique only within a conversation or session. */
export function compositeKey(...ids: readonly string[]): string {
  let key = ''
  // The lengths keep `a`, `bc` apart from `ab`, `c`. JSON would take several times as long.
  for (const id of ids) key += `${id.length}:${id}`
  return key
}
