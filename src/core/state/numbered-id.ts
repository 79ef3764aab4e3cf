const PREFIX = 'unnamed:'

/** Returns the id of a message that has none. The source counts such messages. */
export function numberedId(number: number): string {
  return PREFIX + number
}

/** Returns the number in such an id, or in a longer one that begins with it; undefined for any other id. */
export function numberOfId(id: string): number | undefined {
  const number = id.startsWith(PREFIX) ? Number.parseInt(id.slice(PREFIX.length), 10) : Number.NaN
  return Number.isNaN(number) ? undefined : number
}
