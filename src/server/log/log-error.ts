/**
 * The reason why a log refuses a call.
 * - `wrong-seq`: the last event has another number than the caller expects; `expected` and `actual` are the numbers
 * - `old-generation`: another owner has had the lease since; `expected` is the current generation, `actual` the
 *   caller's
 * - `trimmed`: the log has dropped the event after that number; `expected` is the earliest number to read after,
 *   `actual` the caller's
 * - `lost-events`: the log has lost events that the caller has read; `expected` is the log's last number, `actual`
 *   the caller's
 * - `not-json`: an event is a value that JSON cannot hold
 * - `too-large`: an append or a snapshot has more than 268,435,456 bytes as JSON
 * - `closed`: the log is closed
 * - `silent`: the log does not answer in time; a worker rejects with it
 * - `in-use`: another process or thread has the folder
 * - `broken`: a stored file or key is damaged. If a line of a file is lost, `expected` is the number of the next
 *   event, `actual` the number found
 */
export type LogErrorCode =
  | 'wrong-seq'
  | 'old-generation'
  | 'trimmed'
  | 'lost-events'
  | 'not-json'
  | 'too-large'
  | 'closed'
  | 'silent'
  | 'in-use'
  | 'broken'

/** The two numbers or generations of an error, as its code names them. */
interface LogErrorFacts {
  readonly expected?: number
  readonly actual?: number
}

/** A log refuses a call. Nothing has changed. */
export class LogError extends Error {
  readonly code: LogErrorCode
  readonly expected: number | undefined
  readonly actual: number | undefined

  constructor(code: LogErrorCode, message: string, { expected, actual }: LogErrorFacts = {}) {
    super(message)
    this.name = 'LogError'
    this.code = code
    this.expected = expected
    this.actual = actual
  }
}

/** Whether a log has refused a call, with one of the codes if there are any. Each entry point of CommonJS has a class of its own. */
export function isLogError(error: unknown, codes?: readonly LogErrorCode[]): boolean {
  if (!(error instanceof Error && error.name === 'LogError' && 'code' in error)) return false
  return !codes || codes.some((code) => code === error.code)
}

/** The session's last event has another number than the caller expects. */
export function wrongSeq(sessionId: string, expected: number, actual: number): LogError {
  return new LogError(
    'wrong-seq',
    `session ${sessionId}: the last event has number ${actual}, not ${expected}: read the events after yours, and append again`,
    { expected, actual },
  )
}

/** Another owner has had the lease since. */
export function oldGeneration(sessionId: string, expected: number, actual: number): LogError {
  return new LogError(
    'old-generation',
    `session ${sessionId}: the lease has generation ${expected}, not ${actual}: another owner has it, so stop`,
    { expected, actual },
  )
}

/** The log has dropped the next event. */
export function trimmed(sessionId: string, expected: number, actual: number): LogError {
  return new LogError(
    'trimmed',
    `session ${sessionId}: the log begins after number ${expected}, so it cannot read after ${actual}: load the snapshot`,
    { expected, actual },
  )
}

/** The log ends before the number that the caller has read, or has another event there. */
export function lostEvents(sessionId: string, expected: number, actual: number): LogError {
  return new LogError(
    'lost-events',
    `session ${sessionId}: the log ends at number ${expected}, and it has lost events that its reader has ` +
      `up to ${actual}: load the snapshot`,
    { expected, actual },
  )
}

/** Returns the result, or rejects with a `LogError` (`silent`) if it does not come within that many milliseconds. */
export async function within<Result>(ms: number, work: Promise<Result>): Promise<Result> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new LogError('silent', `the log does not answer within ${ms} ms`)), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
