import type { Translated } from '../../src/index.ts'

/** Returns the value after a write to and a read from disk or network. */
export const stored = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

/** Returns the events and issues of a translation, without its memory. */
export const outputOf = ({ events, issues }: Translated<unknown>): Omit<Translated<unknown>, 'memory'> => ({
  events,
  issues,
})
