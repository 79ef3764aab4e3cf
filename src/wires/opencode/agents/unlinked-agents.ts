import { compareStrings } from '../../../json/compare-strings.ts'
import type { OpencodeContext } from '../context.ts'
import type { Turn } from '../memory.ts'
import { knownSession } from '../records/session.ts'
import type { EventPlace } from '../routing/event-place.ts'
import { locateSession } from '../routing/session-location.ts'

type SessionPlace = Pick<EventPlace, 'sessionId' | 'conversationId'>

/** Completes the run of a subagent whose call is not known: its session is idle, and no call will report the end. */
export function completeUnlinkedAgent(place: SessionPlace, context: OpencodeContext): void {
  if (!isUnlinked(place)) return
  const session = knownSession(place.sessionId, context)
  if (session.isCompleted || !session.hasMessages) return
  context.ownSession(place.sessionId).isCompleted = true
  const status = hasFailed(session.turn) ? 'error' : 'completed'
  context.emit({ type: 'subagent:completed', toolUseId: place.sessionId, status })
}

/** Runs a completed subagent without a known call again: its session begins a new message. */
export function resumeUnlinkedAgent(place: SessionPlace, context: OpencodeContext): void {
  if (!isUnlinked(place) || !knownSession(place.sessionId, context).isCompleted) return
  context.ownSession(place.sessionId).isCompleted = false
  context.emit({ type: 'subagent:resumed', toolUseId: place.sessionId })
}

/** A subagent without a known call has its session's id as its conversation id. */
function isUnlinked({ sessionId, conversationId }: SessionPlace): boolean {
  return sessionId === conversationId
}

/** An aborted subagent has failed: OpenCode reports its call as an error. */
function hasFailed(turn: Turn): boolean {
  return turn === 'failed' || turn === 'interrupted'
}

/**
 * Links subagents whose call is not known to their parent conversation, which their session names. A reverted call is one
 * cause. Completes those whose last message has ended: an export has no idle events. Returns the session ids of these
 * subagents, the oldest first.
 */
export function spawnUnlinkedAgents(context: OpencodeContext): readonly string[] {
  const { sessions, callIdBySession, mainSessionId } = context.memory
  const unlinked = sessions
    .values()
    .filter(({ id, hasMessages }) => hasMessages && id !== mainSessionId)
    .filter(({ id }) => (callIdBySession.get(id) ?? id) === id)
    // OpenCode makes descending session ids: the newest session sorts first.
    .sort((left, right) => compareStrings(right.id, left.id))
  for (const { id, parentId, turn } of unlinked) {
    if (turn === 'answered' || hasFailed(turn))
      completeUnlinkedAgent({ sessionId: id, conversationId: id }, context)
    if (parentId === undefined) continue
    const parent = locateSession(parentId, context.memory)
    if (parent.type !== 'conversation') continue
    const { conversationId } = parent
    context.emit({ type: 'subagent:spawned', conversationId, toolUseId: id, prompt: '' })
  }
  return unlinked.map(({ id }) => id)
}
