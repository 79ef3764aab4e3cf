/** One key of several ids: messages and calls are unique within a conversation or session only. */
export function compositeKey(...ids: readonly string[]): string {
  return JSON.stringify(ids)
}
