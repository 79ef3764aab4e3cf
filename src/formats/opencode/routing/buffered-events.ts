import { bufferedItems } from '../../translation/buffer.ts'
import { sortedByOrder } from '../../translation/order.ts'
import type { OpencodeContext } from '../context.ts'
import type { BusEvent } from '../events/event.ts'
import { chooseMainSession, locateSession, NO_SESSION } from './session-location.ts'

/** Keeps an event until its session's conversation is known. A late reader has missed the session's first events. */
export function bufferEvent(sessionId: string, event: BusEvent, context: OpencodeContext): void {
  const { bufferedSessions, bufferedEventCount } = context.memory
  const { order = bufferedEventCount, last } = bufferedSessions.get(sessionId) ?? {}
  const buffered = { sessionId, order, last: { item: event, before: last } }
  context.remember({
    bufferedSessions: bufferedSessions.with(sessionId, buffered),
    bufferedEventCount: bufferedEventCount + 1,
  })
}

/** Takes the events of the first buffered session whose place is now known out of the buffer, and returns them. */
export function releaseEvents(context: OpencodeContext): readonly BusEvent[] {
  const { memory } = context
  if (memory.bufferedSessions.isEmpty) return []
  const [session] = sortedByOrder(
    memory.bufferedSessions,
    ({ sessionId }) => locateSession(sessionId, memory).type !== 'unknown',
  )
  if (!session) return []
  context.remember({ bufferedSessions: memory.bufferedSessions.without(session.sessionId) })
  return bufferedItems(session.last)
}

/** Chooses the main session among the buffered ones: the tree of the first session that has an id. */
export function chooseMainOfBuffered(context: OpencodeContext): void {
  const sessions = sortedByOrder(context.memory.bufferedSessions)
  const first = sessions.find(({ sessionId }) => sessionId !== NO_SESSION) ?? sessions[0]
  if (first) chooseMainSession(first.sessionId, context)
}

/** Makes each buffered session a subagent without call. Its conversation id is its session id. */
export function locateBufferedAsAgents(context: OpencodeContext): void {
  for (const { sessionId } of sortedByOrder(context.memory.bufferedSessions)) {
    const { callIdBySession } = context.memory
    context.remember({ callIdBySession: callIdBySession.with(sessionId, sessionId) })
  }
}
