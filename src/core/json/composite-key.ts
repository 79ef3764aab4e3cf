/** Returns one map key for several ids. Message and call ids are unique only within a conversation or session. */
export function compositeKey(first: string, second: string, ...others: readonly string[]): string {
  // The lengths keep `a`, `bc` apart from `ab`, `c`. JSON would take several times as long. V8 keeps a sum of texts as a tree of its
  // parts. The short parts come first, so the tree is small.
  let lengths = `${first.length}:${second.length}:`
  let rest = ''
  for (const id of others) {
    lengths += `${id.length}:`
    rest += id
  }
  return lengths + first + second + rest
}
