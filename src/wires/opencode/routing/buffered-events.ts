import { bufferedItems } from '../../../reading/buffer.ts'
import type { OpencodeContext } from '../context.ts'
import { type BusEvent, provesWork } from '../events/event.ts'
import { NO_SESSION } from '../place.ts'
import { mainSession } from '../sessions.ts'
import { chooseMainSession, chooseMainTree, isTreeKnown, locateSession } from './session-location.ts'

/** Keeps an event until its session's conversation is known. A late reader has missed the session's first events. */
export function bufferEvent(sessionId: string, event: BusEvent, context: OpencodeContext): void {
  const before = context.notes.buffered.get(sessionId)
  context.setEntry('buffered', sessionId, { item: event, before })
  if (provesWork(event) && !context.notes.workingSessions.get(sessionId))
    context.setEntry('workingSessions', sessionId, true)
}

/** Returns the ids of the buffered sessions whose place became known since the last call, the one with the earliest event first. */
export function locatedSessionIds(context: OpencodeContext): readonly string[] {
  const revealed = context.takeRevealed()
  const { buffered } = context.notes
  if (buffered.isEmpty) return []
  const isLocated = (sessionId: string) => locateSession(sessionId, context).type !== 'unknown'
  if (!revealed) return idsOf(buffered).filter(isLocated)
  const found = withDescendants(revealed.filter(isLocated), context)
    // A session may have got another parent, whose place is not known.
    .filter((id) => buffered.get(id) !== undefined && isLocated(id))
  if (found.length < 2) return found
  const wanted = new Set(found)
  return idsOf(buffered).filter((id) => wanted.has(id))
}

function idsOf(map: OpencodeContext['notes']['buffered' | 'workingSessions']): readonly string[] {
  return map.isEmpty ? [] : map.entries().map(([id]) => id)
}

/** Returns the sessions and all sessions below them. Those are needed once, because a known place stays known. */
function withDescendants(sessionIds: readonly string[], context: OpencodeContext): readonly string[] {
  const found = new Set(sessionIds)
  for (const id of found) for (const child of context.takeBuffered('children', id)) found.add(child)
  return [...found]
}

/** Takes the events of a session out of the buffer, and returns them. */
export function releaseEvents(sessionId: string, context: OpencodeContext): readonly BusEvent[] {
  const last = context.notes.buffered.get(sessionId)
  context.removeEntry('buffered', sessionId)
  context.removeEntry('workingSessions', sessionId)
  return bufferedItems(last)
}

/**
 * Chooses the tree of the first session that works, after a buffered event of a session. Only a session whose own top session is known
 * can change that, so others cost no search.
 */
export function chooseWorkingMain(sessionId: string, context: OpencodeContext): void {
  if (mainSession(context) !== undefined || !isTreeKnown(sessionId, context)) return
  idsOf(context.notes.workingSessions).some((id) => chooseMainTree(id, context))
}

/** Chooses the main session at the end of the input: the tree of the first session that works, or else the first session. */
export function chooseMainOfBuffered(context: OpencodeContext): void {
  const ids = [...idsOf(context.notes.workingSessions), ...idsOf(context.notes.buffered)]
  const first = ids.find((id) => id !== NO_SESSION) ?? ids[0]
  if (first !== undefined) chooseMainSession(first, context)
}

/** Makes each buffered session a subagent without call. Its conversation id is its session id. */
export function locateBufferedAsAgents(context: OpencodeContext): void {
  for (const sessionId of idsOf(context.notes.buffered)) {
    context.setEntry('unlinkedAgents', sessionId, true)
    context.reveal(sessionId)
  }
}
