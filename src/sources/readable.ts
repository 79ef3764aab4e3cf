import { isTooDeep, MAX_DEPTH } from '../state/depth.ts'

/** An event may hold a part of its message two levels further down than the message does. */
const MESSAGE_DEPTH = MAX_DEPTH - 2

/** What stands in the place of what was nested too deep. */
const CUT = '[nested too deep]'

/** A message as far as it can be read. */
interface Readable {
  readonly message: unknown
  readonly isCut: boolean
}

/** Cuts off what is nested too deep. A message that throws when it is looked at, as a getter or a proxy can, is none. */
export function readable(message: unknown): Readable {
  try {
    const isCut = isTooDeep(message, MESSAGE_DEPTH)
    return { message: isCut ? cut(message, MESSAGE_DEPTH) : message, isCut }
  } catch {
    return { message: undefined, isCut: false }
  }
}

function cut(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (depth === 0) return CUT
  if (Array.isArray(value)) return value.map((item) => cut(item, depth - 1))
  // Entries, not assignment: `__proto__` is a key like others.
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cut(item, depth - 1)]))
}
