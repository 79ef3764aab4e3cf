import { TranscriptError } from '../../reading/input/combined.ts'

/** Returns the result of reading a session. Undefined if the session cannot be read: `show` says why. */
export async function ifReadable<Value>(read: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof TranscriptError) return undefined
    throw error
  }
}
