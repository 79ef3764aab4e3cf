import type { SessionConversationState } from '../../core/state/session.ts'
import { ifReadable } from '../../node/files/read-error.ts'
import { readSession } from '../../node/read/read-session.ts'

export { keptRow } from '../../node/session-index/kept-row.ts'

/** Reads a listed session whole. Undefined if it cannot be read: `show` says why. */
export function readOwnState(path: string): Promise<SessionConversationState | undefined> {
  return ifReadable(async () => (await readSession(path)).state)
}
