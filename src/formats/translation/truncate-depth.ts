import { isTooDeep, MAX_DEPTH } from '../../json/depth.ts'

/** An event may hold a part of its message two levels further down than the message does. */
const MESSAGE_DEPTH = MAX_DEPTH - 2

/** What stands in the place of what was nested too deep. */
const CUT = '[nested too deep]'

/** A message as far as it can be read. */
interface TruncatedMessage {
  readonly message: unknown
  readonly isCut: boolean
}

/** Cuts off what is nested too deep. A message that throws when it is looked at, as a getter or a proxy can, is none. */
export function truncateDepth(message: unknown): TruncatedMessage {
  try {
    const isCut = isTooDeep(message, MESSAGE_DEPTH)
    return { message: isCut ? cut(message, MESSAGE_DEPTH) : message, isCut }
  } catch {
    return { message: undefined, isCut: false }
  }
}

/** What became of an object, and how many levels it was allowed. */
interface Made {
  readonly depth: number
  readonly copy: unknown
}

/** An object that stands in many places is copied for one of them; where it stands within itself it is cut off. */
function cut(value: unknown, depth: number, made: Map<object, Made> = new Map()): unknown {
  if (typeof value !== 'object' || value === null) return value
  const before = made.get(value)
  if (before && before.depth <= depth) return before.copy
  if (depth === 0) return CUT
  made.set(value, { depth: 0, copy: CUT })
  const copy = copyOf(value, (item) => cut(item, depth - 1, made))
  made.set(value, { depth, copy })
  return copy
}

function copyOf(value: object, copied: (item: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map(copied)
  // Entries, not assignment: `__proto__` is a key like others.
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, copied(item)]))
}
