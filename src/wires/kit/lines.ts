import { isObject, isString, type JsonObject } from '../../core/json/values.ts'

/** The lines of the last time in a stream, which may come again. `again` is how many of them have, while lines come again. */
interface SeenLines {
  readonly time: string
  readonly seen: readonly string[]
  readonly again?: number
}

/** The shape of a note with the last lines. */
export const SEEN_LINES = {
  fields: { time: 'string', seen: { listOf: 'string' }, 'again?': 'finite number' },
} as const

/** A line with its time, and the words by which it differs from others. */
interface TimedLine {
  readonly time: string
  readonly words: string
  /** Whether two lines of one time may be equal. */
  readonly mayComeTwice: boolean
}

/** Adds a line of a stream without ids. It has come again if `again` is set: a reader may get the last lines again after a reconnect. */
export function addLine(last: SeenLines | undefined, { time, words, mayComeTwice }: TimedLine): SeenLines {
  if (last && time < last.time) return { ...last, again: 0 }
  const { seen = [], again = -1 } = last?.time === time ? last : {}
  const other = mayComeTwice ? -1 : seen.indexOf(words)
  const place = seen[again] === words ? again : other
  return place < 0 ? { time, seen: withLatest(seen, words) } : { time, seen, again: place + 1 }
}

/** No program writes more lines within a millisecond. Each line copies the list, so a longer one makes later lines slower. */
export const MOST_OF_ONE_TIME = 256

/** Returns the latest lines of one time, with another one. The first ones leave a long list. */
export function withLatest(seen: readonly string[], words: string): readonly string[] {
  return [...seen.slice(1 - MOST_OF_ONE_TIME), words]
}

/**
 * Returns the message in a line of a log of both directions: `{ dir, at, msg }`, where `in` is from the program. Any
 * other value is the message itself.
 */
export function unwrapLogLine(value: JsonObject): JsonObject {
  return isString(value.dir) && isObject(value.msg) ? value.msg : value
}

/** Whether the value is a line of such a log, with a message of the client. */
export function isFromClient(value: JsonObject): boolean {
  return value.dir === 'out' && isObject(value.msg)
}
