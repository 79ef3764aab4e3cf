/** The command cannot read an input, or cannot print it. The message is one line for the user. */
export class InputError extends Error {}

/** Turns a read error into an `InputError` with the reason, and with the path if it is passed. */
export async function wrapReadError<Value>(result: Promise<Value>, path?: string): Promise<Value> {
  try {
    return await result
  } catch (error) {
    throw readError(error, path)
  }
}

/** Returns the error of an input that cannot be read: its reason, after the path if it is passed. */
export function readError(error: unknown, path?: string): InputError {
  const reason = reasonOf(error)
  return new InputError(path === undefined ? reason : `${path}: ${reason}`, { cause: error })
}

/** Whether there is no file: its name does not exist, or it is a link that leads to no file. */
export function isMissing(error: unknown): boolean {
  const code = codeOf(error)
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP'
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

function reasonOf(error: unknown): string {
  const code = codeOf(error)
  if (code === 'ENOENT') return 'no such file or folder'
  if (code === 'EACCES') return 'no permission to read it'
  return overflowMessage(error) ?? (error instanceof Error ? error.message : String(error))
}

/** V8's messages for a stack overflow, and for a string or a list that is too long. A RangeError with another message is a bug of this library. */
const OVERFLOW = /call stack|string length|array length|maximum size/

/** Returns a message for an input that is too large for V8; undefined for other errors. */
export function overflowMessage(error: unknown): string | undefined {
  const isOverflow = error instanceof RangeError && OVERFLOW.test(error.message)
  return isOverflow ? 'too large or nested too deep to read' : undefined
}
