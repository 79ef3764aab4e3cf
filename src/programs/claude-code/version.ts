/** Whether a version of the program is that one or a later one. An unknown version is none. */
export function isAtLeast(version: string | undefined, least: readonly [number, number, number]): boolean {
  const parts = (version ?? '').split('.').map((part) => Number.parseInt(part, 10))
  for (const [at, own] of least.entries()) {
    const part = parts[at] ?? Number.NaN
    if (part !== own) return part > own
  }
  return true
}
