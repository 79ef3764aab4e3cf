/** The sessions that the fleet writes. */
export const SESSIONS: readonly string[] = ['first', 'second', 'third', 'fourth']
