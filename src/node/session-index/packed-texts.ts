import { deflateSync, inflateSync } from 'node:zlib'
import { overflowMessage } from '../files/read-error.ts'
import { type SearchedState, searchedState } from '../search.ts'
import { rawExpression, type SearchPattern } from '../search-pattern.ts'
import { DamagedIndexError } from './entry.ts'

/** The fastest level takes a sixth of the space, and the best one a seventh in four times the time. */
const LEVEL = 1

/** Stands for texts that are too long for one string of V8. */
const TOO_LARGE: Uint8Array = /* @__PURE__ */ new Uint8Array(1)

/** Whether a search has to read the session, because its texts are too large for an index. */
export function areTooLarge(bytes: Uint8Array): boolean {
  return bytes.length === TOO_LARGE.length
}

/** Returns what a search looks at in a session, for an index. */
export function packedTexts(title: string | undefined, state: SearchedState): Uint8Array {
  try {
    return deflateSync(JSON.stringify({ title, ...searchedState(state) }), { level: LEVEL })
  } catch (error) {
    if (overflowMessage(error) === undefined) throw error
    return TOO_LARGE
  }
}

/**
 * Returns what a search looks at in a session. Undefined if it has no such text, or nobody could read it. It parses no session
 * without the text. Throws a `DamagedIndexError` if the bytes are not as they were written.
 */
export function unpackedTexts(
  bytes: Uint8Array,
  pattern: SearchPattern | undefined,
): SearchedState | undefined {
  if (bytes.length === 0) return undefined
  const json = inflated(bytes)
  if (pattern && !rawExpression(pattern).test(json)) return undefined
  return JSON.parse(json)
}

/** The end of the bytes is a checksum of the text. */
function inflated(bytes: Uint8Array): string {
  try {
    return inflateSync(bytes).toString()
  } catch {
    throw new DamagedIndexError('texts with another checksum')
  }
}
