import { severalSessionsText, TranscriptError } from '../../reading/input/combined.ts'
import { overflowMessage } from '../files/read-error.ts'
import { newestPaths } from '../list/list-sessions.ts'
import { openSession } from './open-session.ts'
import { readInput, type SessionReading } from './read-input.ts'

/**
 * Reads a session to its end: a file, a session's file with its subagents' files, a folder with one session, or a
 * `path` of `listSessions`. An empty file is an empty session. An agent whose own file is missing is an issue
 * (`missing-agent-transcript`). Throws a `TranscriptError` with the `path`: its `code` is `no-such-file`,
 * `unreadable`, `too-large`, `no-session`, `several-sessions`, `not-a-transcript` or `no-database-reader`.
 */
export async function readSession(path: string): Promise<SessionReading> {
  try {
    const { state, issues, ending } = await readInput(await openSession(path), undefined, {})
    return { state, issues, ending }
  } catch (error) {
    throw await errorWithPath(error, path)
  }
}

/** Returns the error with the path in its message. An error that no input causes stays as it is. */
export async function errorWithPath(error: unknown, path: string): Promise<unknown> {
  const overflow = overflowMessage(error)
  if (overflow !== undefined)
    return new TranscriptError('too-large', `${path}: ${overflow}`, { path, cause: error })
  if (!(error instanceof TranscriptError)) return error
  const { code } = error
  const sessions = error.sessions && (await newestPaths(error.sessions))
  const reason = sessions ? severalSessionsMessage(sessions) : messageWithout(error, path)
  return new TranscriptError(code, `${path}: ${reason}`, {
    path,
    cause: error,
    ...(sessions && { sessions }),
  })
}

/** The error of a database names its path already. */
function messageWithout({ message, path: named }: TranscriptError, path: string): string {
  const isNamed = named !== undefined && path.startsWith(named) && message.startsWith(`${named}: `)
  return isNamed ? message.slice(named.length + 2) : message
}

/** A folder or a database may hold thousands of sessions, so a message names only the newest ones. */
export const NAMED_SESSIONS = 5

/** Returns a message with the newest sessions. The first path is that of the newest one. */
function severalSessionsMessage(paths: readonly string[]): string {
  const newest = paths.slice(0, NAMED_SESSIONS)
  return severalSessionsText(newest, paths.length - newest.length)
}
