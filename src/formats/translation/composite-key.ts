/** Returns one map key for several ids. Message and call ids are unique only within a conversation or session. */
export function compositeKey(...ids: readonly string[]): string {
  return JSON.stringify(ids)
}
