import type { KnownStream } from '../memory.ts'

/** The greatest length of a text in UTF-16 units. A longer text may exceed an engine's longest string, and the reducer refuses it. */
const MAX_LENGTH = 2 ** 28

/** The part of a delta that is new, and the number of units that have come again. */
interface NewPart {
  readonly rest: string
  readonly repeated: number | undefined
}

/**
 * Returns the new part of a delta. A text that begins once more either goes on, or comes again after a reconnect. It comes again as
 * long as its deltas are those of the known text.
 */
export function newPart(text: string, { repeated }: KnownStream, delta: string): NewPart {
  if (text.length + delta.length > MAX_LENGTH) return { rest: '', repeated }
  if (repeated === undefined) return { rest: delta, repeated }
  const known = text.slice(repeated)
  if (known.startsWith(delta)) return { rest: '', repeated: repeated + delta.length }
  if (delta.startsWith(known)) return { rest: delta.slice(known.length), repeated: undefined }
  return { rest: text.slice(0, repeated) + delta, repeated: undefined }
}
