import { LogError } from './log-error.ts'

/** The longest text that a log takes, in UTF-8 bytes. Every reader can hold it: it is half of a value of Redis, and of a string in V8. */
const MAX_BYTES = 2 ** 28

/** Returns the text of a call. Throws a `LogError` (`too-large`) if no reader could read it. */
export function withinLimit(makeText: () => string): string {
  const text = textOrUndefined(makeText)
  if (text === undefined || (text.length > MAX_BYTES / 3 && Buffer.byteLength(text) > MAX_BYTES))
    throw new LogError(
      'too-large',
      `pass at most ${MAX_BYTES} bytes of JSON at once: append the events in parts`,
    )
  return text
}

/** Returns undefined if the text is longer than the longest string. */
function textOrUndefined(makeText: () => string): string | undefined {
  try {
    return makeText()
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
