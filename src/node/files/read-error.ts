import { TranscriptError } from '../../reading/input/combined.ts'

/** Turns an error of the system into a `TranscriptError` with the reason, and with the path if it is passed. */
export async function wrapReadError<Value>(result: Promise<Value>, path?: string): Promise<Value> {
  try {
    return await result
  } catch (error) {
    throw readError(error, path)
  }
}

/** Returns the error of an input that cannot be read. Its message is the reason, after the path if it is passed. */
export function readError(error: unknown, path?: string): TranscriptError {
  if (error instanceof TranscriptError) return error
  const { code, reason } = reasonOf(error, path)
  return new TranscriptError(code, path === undefined ? reason : `${path}: ${reason}`, { path, cause: error })
}

/** Returns the error of a pipe, a socket or a device in the place of a file. */
export function irregularFile(path: string): TranscriptError {
  return new TranscriptError('unreadable', `${path}: not a regular file`, { path })
}

/** Returns the error of a link in the place of a file or folder, if it leads to none. */
export function brokenLink(path: string): TranscriptError {
  return new TranscriptError('unreadable', `${path}: a link that leads to no file or folder`, { path })
}

/** Returns the error of a text that `isCutValue`. */
export function cutError(path?: string): TranscriptError {
  const reason =
    'not a transcript: it ends within its first JSON value. A program still writes it, or has crashed'
  return new TranscriptError('not-a-transcript', reason, { path })
}

/** Whether the name has bytes that are not UTF-8, for which U+FFFD stands. No such name leads to its file. */
export function isUndecoded(path: string): boolean {
  return path.includes('\ufffd')
}

/** Whether there is no file: its name does not exist, or it is a link that leads to no file. */
export function isMissing(error: unknown): boolean {
  const code = codeOf(error)
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP'
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

interface Reason {
  readonly code: TranscriptError['code']
  readonly reason: string
}

function reasonOf(error: unknown, path?: string): Reason {
  const code = codeOf(error)
  const place = path ?? (error instanceof Error && 'path' in error ? String(error.path) : '')
  if (isMissing(error) && isUndecoded(place))
    return { code: 'unreadable', reason: 'its name is not UTF-8, so rename it' }
  if (code === 'ENOENT') return { code: 'no-such-file', reason: 'no such file or folder' }
  if (code === 'EISDIR') return { code: 'unreadable', reason: 'a folder, not a file' }
  if (code === 'EACCES') return { code: 'unreadable', reason: 'no permission to read it' }
  const overflow = overflowMessage(error)
  if (overflow !== undefined) return { code: 'too-large', reason: overflow }
  return { code: 'unreadable', reason: error instanceof Error ? error.message : String(error) }
}

/**
 * V8's messages for a stack overflow, and for a string or a list that is too long. A RangeError with another message
 * is a bug of this library.
 */
const OVERFLOW = /call stack|string length|array length|maximum size/

/** Returns a message for an input that is too large for V8; undefined for other errors. */
export function overflowMessage(error: unknown): string | undefined {
  const isOverflow =
    codeOf(error) === 'ERR_STRING_TOO_LONG' || (error instanceof RangeError && OVERFLOW.test(error.message))
  return isOverflow ? 'too large or nested too deep to read' : undefined
}

/** Returns the result of reading a session. Undefined if the session cannot be read: `show` says why. */
export async function ifReadable<Value>(read: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof TranscriptError) return undefined
    throw error
  }
}
