/** Returns the id, with a suffix if that is taken. */
export function freeId(id: string, taken: ReadonlySet<string>): string {
  if (!taken.has(id)) return id
  let suffix = 2
  while (taken.has(`${id}-${suffix}`)) suffix += 1
  return `${id}-${suffix}`
}
