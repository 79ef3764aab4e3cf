/** Returns a time in ms since the epoch, or NaN. A time without a zone is UTC, because the zone of the machine would give another result on each machine. */
export function timeInMs(timestamp: string = ''): number {
  return Date.parse(/Z|[+-]\d\d:?\d\d$/i.test(timestamp) ? timestamp : `${timestamp}Z`)
}
