import { omitUndefined } from '../json/omit-undefined.ts'

/** The lines of the last time in a stream, which may come again. `again` is how many of them have, since an earlier line has come again. */
export interface SeenLines {
  readonly time: string
  readonly seen: readonly string[]
  readonly again?: number
}

/** The shape of a note with the last lines. */
export const SEEN_LINES = {
  fields: { time: 'string', seen: { listOf: 'string' }, 'again?': 'finite number' },
} as const

/** A line with its time, and the words that tell it from others. */
interface TimedLine {
  readonly time: string
  readonly words: string
  /** Whether two lines of one time may be equal. */
  readonly mayComeTwice: boolean
}

/** Adds a line of a stream without ids. A reader may get the last lines again after a reconnect, from an earlier line on. */
export function addLine(
  last: SeenLines | undefined,
  { time, words, mayComeTwice }: TimedLine,
): { readonly lines: SeenLines; readonly isRepeated: boolean } {
  if (last && time < last.time) return { lines: { ...last, again: 0 }, isRepeated: true }
  const { seen = [], again } = last?.time === time ? last : {}
  const isNext = again !== undefined && seen[again] === words
  const isRepeated = isNext || (seen.includes(words) && !mayComeTwice)
  const lines = isRepeated ? { seen, again: isNext ? again + 1 : again } : { seen: [...seen, words] }
  return { lines: omitUndefined({ time, ...lines }), isRepeated }
}
