import { omitUndefined } from '../../../json/omit-undefined.ts'
import { bufferedItems } from '../../../session/buffer.ts'
import { sortedByOrder } from '../../../session/order.ts'
import type { OpencodeContext } from '../context.ts'
import type { BusEvent } from '../events/event.ts'
import type { BufferedSession } from '../memory.ts'
import {
  chooseMainSession,
  chooseMainTree,
  isTreeKnown,
  locateSession,
  NO_SESSION,
} from './session-location.ts'
import { provesWork } from './work.ts'

/** Keeps an event until its session's conversation is known. A late reader has missed the session's first events. */
export function bufferEvent(sessionId: string, event: BusEvent, context: OpencodeContext): void {
  const { bufferedSessions, bufferedEventCount } = context.memory
  const before = bufferedSessions.get(sessionId)
  const { order = bufferedEventCount, last } = before ?? {}
  const workOrder = before?.workOrder ?? (provesWork(event) ? bufferedEventCount : undefined)
  const buffered = omitUndefined({ sessionId, order, workOrder, last: { item: event, before: last } })
  context.remember({
    bufferedSessions: bufferedSessions.with(sessionId, buffered),
    bufferedEventCount: bufferedEventCount + 1,
  })
}

/** Returns the ids of the buffered sessions whose place became known since the last call, in order. */
export function locatedSessionIds(context: OpencodeContext): readonly string[] {
  const { memory } = context
  const revealed = context.takeRevealed()
  if (memory.bufferedSessions.isEmpty) return []
  const isLocated = (sessionId: string) => locateSession(sessionId, memory).type !== 'unknown'
  const sessions = revealed
    ? withDescendants(revealed.filter(isLocated), context)
        // A session may have got another parent, whose place is not known.
        .filter(isLocated)
        .flatMap((id) => memory.bufferedSessions.get(id) ?? [])
    : memory.bufferedSessions.values().filter(({ sessionId }) => isLocated(sessionId))
  return sessions.sort((left, right) => left.order - right.order).map(({ sessionId }) => sessionId)
}

/** Returns the sessions and all sessions below them. */
function withDescendants(sessionIds: readonly string[], context: OpencodeContext): readonly string[] {
  const found = new Set(sessionIds)
  for (const id of found) for (const child of context.takeChildren(id)) found.add(child)
  return [...found]
}

/** Takes the events of a session out of the buffer, and returns them. */
export function releaseEvents(sessionId: string, context: OpencodeContext): readonly BusEvent[] {
  const { bufferedSessions } = context.memory
  const session = bufferedSessions.get(sessionId)
  if (!session) return []
  context.removeEntry('bufferedSessions', sessionId)
  return bufferedItems(session.last)
}

/**
 * Chooses the tree of the first session that works, after a buffered event of a session. Returns false while the top session of no such
 * tree is known. Only a session whose own top session is known can change that, so others cost no search.
 */
export function chooseWorkingMain(sessionId: string, context: OpencodeContext): boolean {
  if (context.memory.mainSessionId !== undefined || !isTreeKnown(sessionId, context.memory)) return false
  return workingSessions(context).some(({ sessionId }) => chooseMainTree(sessionId, context))
}

/** Chooses the main session at the end of the input: the tree of the first session that works, or else the first session. */
export function chooseMainOfBuffered(context: OpencodeContext): void {
  const sessions = [...workingSessions(context), ...sortedByOrder(context.memory.bufferedSessions)]
  const first = sessions.find(({ sessionId }) => sessionId !== NO_SESSION) ?? sessions[0]
  if (first) chooseMainSession(first.sessionId, context)
}

/** Returns the buffered sessions that work, in the order in which they began. */
function workingSessions({ memory }: OpencodeContext): readonly BufferedSession[] {
  return memory.bufferedSessions
    .values()
    .flatMap((session) => (session.workOrder === undefined ? [] : { session, workOrder: session.workOrder }))
    .sort((left, right) => left.workOrder - right.workOrder)
    .map(({ session }) => session)
}

/** Makes each buffered session a subagent without call. Its conversation id is its session id. */
export function locateBufferedAsAgents(context: OpencodeContext): void {
  for (const { sessionId } of sortedByOrder(context.memory.bufferedSessions)) {
    context.setEntry('callIdBySession', sessionId, sessionId)
    context.reveal(sessionId)
  }
}
