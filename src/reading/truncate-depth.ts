import { isNoJson, isTooDeep, MAX_DEPTH } from '../core/json/depth.ts'

/** The deepest allowed level of a message. An event may hold a part of its message two levels deeper. */
const MESSAGE_DEPTH = MAX_DEPTH - 2

/** The replacement for values below the deepest level. */
const PLACEHOLDER = '[nested too deep]'

interface TruncatedMessage {
  readonly message: unknown
  readonly isCut: boolean
}

/**
 * Replaces the parts of a message that are nested too deep, and by null those that JSON cannot hold. A message that
 * throws on access (getter, proxy) is undefined.
 */
export function truncateDepth(message: unknown): TruncatedMessage {
  try {
    if (!isNoJson(message, MESSAGE_DEPTH)) return { message, isCut: false }
    return { message: truncatedCopy(message, MESSAGE_DEPTH), isCut: isTooDeep(message, MESSAGE_DEPTH) }
  } catch {
    return { message: undefined, isCut: false }
  }
}

/** The copy of an object, and the number of levels that the copy was allowed. */
interface CopyWithDepth {
  readonly depth: number
  readonly copy: unknown
}

/**
 * Copies a value down to a depth. A shared object reuses an earlier copy that was allowed the same or fewer levels.
 * The placeholder replaces an object inside itself.
 */
function truncatedCopy(
  value: unknown,
  depth: number,
  copies: Map<object, CopyWithDepth> = new Map(),
): unknown {
  if (typeof value !== 'object' || value === null) return isNoJson(value) ? null : value
  const before = copies.get(value)
  if (before && before.depth <= depth) return before.copy
  if (depth === 0) return PLACEHOLDER
  copies.set(value, { depth: 0, copy: PLACEHOLDER })
  const copy = mapValues(value, (item) => truncatedCopy(item, depth - 1, copies))
  copies.set(value, { depth, copy })
  return copy
}

function mapValues(value: object, change: (item: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map(change)
  // `fromEntries`, not assignment, keeps `__proto__` an ordinary key.
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, change(item)]))
}
