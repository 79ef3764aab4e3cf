import type { EventOf } from '../../core/events/event.ts'
import { isLogError } from '../log/log-error.ts'
import type { SessionLog } from '../log/session-log.ts'
import { pause } from '../signals.ts'
import { type HubReply, replyOfAnswer } from './answered-request.ts'
import { HubError } from './hub-error.ts'
import { type HubSession, isOutdated } from './hub-session.ts'

/** The time until the hub asks a log again that has failed, in ms. */
const RETRY_MS = 1000

interface WatchOptions {
  readonly log: SessionLog
  readonly sessionId: string
  readonly sessionOf: () => HubSession
  readonly signal: AbortSignal
  readonly onReply: (reply: HubReply, answer: EventOf<'block:upsert'>) => void
}

/**
 * Calls `onReply` for each answer that another hub publishes to the same log, until the signal aborts. This hub is
 * the one that has the program. The program's own reports are events that this hub has written.
 */
export async function watchAnswers({
  log,
  sessionId,
  sessionOf,
  signal,
  onReply,
}: WatchOptions): Promise<void> {
  const session = sessionOf()
  // The session remembers what this hub has written, so it stays in memory.
  const reader = (): void => {}
  session.addReader(reader)
  let place: number | undefined
  while (!signal.aborted) {
    try {
      place ??= (await session.current()).seq
      for await (const { seq, event } of log.follow(sessionId, place, { signal })) {
        place = seq
        if (event.type !== 'block:upsert' || event.block.type !== 'request') continue
        if (await session.hasWritten(seq)) continue
        const reply = replyIn((await session.current()).state, event)
        if (reply && !signal.aborted) onReply(reply, event)
      }
      break
    } catch (error) {
      if (isOutdated(error)) place = undefined
      else if (isLogError(error, ['closed'])) break
      else await pause(RETRY_MS, signal)
    }
  }
  session.removeReader(reader)
}

/** Returns the reply of another hub's answer, unless the program takes no such answer. */
function replyIn(...answered: Parameters<typeof replyOfAnswer>): HubReply | undefined {
  try {
    return replyOfAnswer(...answered)
  } catch (error) {
    if (error instanceof HubError) return undefined
    throw error
  }
}
