/** The sessions of the fleet. A real one would read them from a list in Redis. */
export const SESSIONS: readonly string[] = ['first', 'second', 'third', 'fourth']
