import type { SessionLog } from '../log/session-log.ts'
import { type HubReply, replyOfAnswer } from './answered-request.ts'
import { type HubSession, isOutdated } from './hub-session.ts'

interface WatchOptions {
  readonly log: SessionLog
  readonly sessionId: string
  readonly sessionOf: () => HubSession
  readonly signal: AbortSignal
  readonly onReply: (reply: HubReply) => void
}

/**
 * Calls `onReply` for each answer that another hub publishes to the same log, until the signal aborts. This hub is the one that has the program. The
 * program's own reports are events that this hub has written.
 */
export async function watchAnswers({
  log,
  sessionId,
  sessionOf,
  signal,
  onReply,
}: WatchOptions): Promise<void> {
  while (!signal.aborted) {
    const { seq } = await sessionOf().current()
    try {
      for await (const logged of log.follow(sessionId, seq, { signal })) {
        const { event } = logged
        if (event.type !== 'block:upsert' || event.block.type !== 'request') continue
        if (await sessionOf().hasWritten(logged.seq)) continue
        const reply = replyOfAnswer((await sessionOf().current()).state, event)
        if (reply && !signal.aborted) onReply(reply)
      }
      return
    } catch (error) {
      if (!isOutdated(error)) throw error
    }
  }
}
