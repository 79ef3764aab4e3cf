import { compareStrings } from '../../../json/compare-strings.ts'
import type { OpencodeContext } from '../context.ts'
import type { SessionPlace } from '../place.ts'
import { locateSession } from '../routing/session-location.ts'
import { sessionNote } from '../sessions.ts'
import { isUnlinked } from '../turn.ts'

/** Completes the run of a subagent whose call is not known: its session is idle, and no call will report the end. */
export function completeUnlinkedAgent(place: SessionPlace, context: OpencodeContext): void {
  const { sessionId } = place
  const { turn } = sessionNote(sessionId, context)
  if (!isUnlinked(place) || turn === undefined || context.hasEnded(sessionId)) return
  const status = turn === 'failed' ? 'error' : 'completed'
  context.emit({ type: 'subagent:completed', toolUseId: sessionId, status })
}

/** Runs a completed subagent without a known call again: its session begins a new message. */
export function resumeUnlinkedAgent(place: SessionPlace, context: OpencodeContext): void {
  const { sessionId } = place
  if (isUnlinked(place) && context.hasEnded(sessionId))
    context.emit({ type: 'subagent:resumed', toolUseId: sessionId })
}

/**
 * Links subagents whose call is not known to their parent conversation, which their session names. A reverted call is one
 * cause. Completes those whose last message has ended: an export has no idle events. Returns the session ids of these
 * subagents, the oldest first.
 */
export function spawnUnlinkedAgents(context: OpencodeContext): readonly string[] {
  const unlinked = context.notes.sessions
    .entries()
    .filter(([, { turn }]) => turn !== undefined)
    // OpenCode makes descending session ids: the newest session sorts first.
    .sort(([left], [right]) => compareStrings(right, left))
  for (const [id, { parentId = '', turn }] of unlinked) {
    if (turn !== 'running') completeUnlinkedAgent({ sessionId: id, conversationId: id }, context)
    const parent = parentId === '' ? undefined : locateSession(parentId, context)
    if (parent?.type !== 'conversation') continue
    const { conversationId } = parent
    context.emit({ type: 'subagent:spawned', conversationId, toolUseId: id, prompt: '' })
  }
  return unlinked.map(([id]) => id)
}
