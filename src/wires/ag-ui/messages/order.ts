/**
 * Returns the ids of a conversation in the order of a snapshot. Known ids that the snapshot does not place stay before the next known one that
 * it places, or behind the last one.
 */
export function orderedIds(known: readonly string[], placed: readonly string[]): readonly string[] {
  const wanted = new Set(placed)
  const before = new Map<string, readonly string[]>()
  let waiting: string[] = []
  let last: string | undefined
  for (const id of known) {
    if (!wanted.has(id)) {
      waiting.push(id)
      continue
    }
    before.set(id, waiting)
    waiting = []
    last = id
  }
  const ordered: (readonly string[])[] = last === undefined ? [waiting] : []
  for (const id of wanted) {
    ordered.push(before.get(id) ?? [], [id])
    if (id === last) ordered.push(waiting)
  }
  return ordered.flat()
}
