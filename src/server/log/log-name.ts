import type { SessionLog } from './session-log.ts'

/** A session that nobody has written yet has no log, so its log has no name. */
export const NO_EPOCH = ''

/**
 * Returns the name of a session's log: the one in its snapshot, or a new one. A session that was deleted and written again has another name, so that
 * nobody takes its events for later ones of the first.
 */
export async function nameOf(log: SessionLog, sessionId: string): Promise<string> {
  const saved = await log.loadSnapshot(sessionId)
  return saved?.epoch || crypto.randomUUID()
}
