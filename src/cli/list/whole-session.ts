import type { SessionConversationState } from '../../core/state/session.ts'
import { isNoSession, type ListIssue, listIssue } from '../../node/list/session-summary.ts'
import { readSession } from '../../node/read/read-session.ts'
import { TranscriptError } from '../../reading/input/combined.ts'

export { keptRow } from '../../node/session-index/kept-row.ts'

/** Reads a listed session whole. It has no state if it cannot be read, and is none if its content shows no session. */
export async function readOwnState(
  path: string,
  onIssue: (issue: ListIssue) => void,
): Promise<{ readonly state?: SessionConversationState; readonly isNone?: boolean }> {
  try {
    return await readSession(path)
  } catch (error) {
    if (!(error instanceof TranscriptError)) throw error
    const { cause } = error
    // The file may be gone since it was found.
    if (error.code !== 'no-such-file')
      onIssue(listIssue(cause instanceof TranscriptError ? cause : error, path))
    return { isNone: isNoSession(error) }
  }
}
