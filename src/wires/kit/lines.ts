import { asArray, asObject, asString, isObject, isString, type JsonObject } from '../../core/json/values.ts'
import type { UserMessageBlock } from '../../core/state/block.ts'
import type { UserContentPart } from '../../core/state/content.ts'
import { isTodoStatus, type Todo } from '../../core/state/todo.ts'

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

/** Returns the content of a user message with these parts, or undefined if there are none. A single text becomes a string. */
export function userContent(parts: readonly UserContentPart[]): UserMessageBlock['content'] | undefined {
  const first = parts[0]
  if (!first) return undefined
  return parts.length === 1 && first.type === 'text' ? first.text : parts
}

/** The latest time that a date can hold, in ms since the epoch (ECMA-262, "Time Values and Time Range"). */
const MAX_TIME = 8.64e15

/** Returns a time in ms since the epoch as ISO 8601, or undefined for any other value. */
export function isoTime(milliseconds: unknown): string | undefined {
  if (typeof milliseconds !== 'number' || !(Math.abs(milliseconds) <= MAX_TIME)) return undefined
  return new Date(milliseconds).toISOString()
}

/** Returns the time from start to end in ms, or undefined if either is missing. */
export function durationOf(start: unknown, end: unknown): number | undefined {
  if (typeof start !== 'number' || typeof end !== 'number') return undefined
  return Number.isFinite(end - start) ? end - start : undefined
}

/**
 * Reads the entries of a plan as several programs write them: `{ content, status }` or `{ title, status }`. An entry
 * without a text is none.
 */
export function readTodos(entries: unknown): readonly Todo[] {
  return asArray(entries).flatMap((entry) => {
    const { content, title, ...fields } = asObject(entry)
    const text = asString(content) ?? asString(title)
    const status = fields.status === 'done' ? 'completed' : fields.status
    return text === undefined ? [] : [{ text, status: isTodoStatus(status) ? status : 'pending' }]
  })
}
