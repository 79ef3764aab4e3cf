/** Returns a name in snake case. The forms of a session write one name as `aggregatedOutput`, `AggregatedOutput` or `aggregated_output`. */
export function snakeCase(name: string): string {
  if (!/[A-Z]/.test(name)) return name
  return name.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter}`).toLowerCase()
}
