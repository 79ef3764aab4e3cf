import { compareStrings } from '../../../core/json/order.ts'
import { type BlockOf, isPrompt } from '../../../core/state/block.ts'
import type { OpencodeContext } from '../context.ts'
import type { SessionPlace } from '../place.ts'
import { locateSession } from '../routing/session-location.ts'
import { sessionNote } from '../sessions.ts'
import { isUnlinked } from '../turn.ts'
import { linkSession } from './task.ts'

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
 * subagents, the oldest first. A call that was stopped before it named its session has the prompt of that session: it has the subagent.
 */
export function spawnUnlinkedAgents(context: OpencodeContext): readonly string[] {
  const unlinked = context.notes.sessions
    .entries()
    .filter(([, { turn }]) => turn !== undefined)
    // OpenCode makes descending session ids: the newest session sorts first.
    .sort(([left], [right]) => compareStrings(right, left))
  return unlinked.flatMap(([id, { parentId = '', turn }]) => {
    const parent = parentId === '' ? undefined : locateSession(parentId, context)
    const conversationId = parent?.type === 'conversation' ? parent.conversationId : undefined
    const call = conversationId === undefined ? undefined : callWithPromptOf(id, conversationId, context)
    if (call) {
      const { toolUseId, input: prompt } = call
      const agent = { toolUseId, agentId: id, prompt, runId: toolUseId }
      context.emit({ type: 'subagent:spawned', conversationId: call.conversationId, ...agent })
      linkSession(id, context)
      return []
    }
    if (turn !== 'running') completeUnlinkedAgent({ sessionId: id, conversationId: id }, context)
    if (conversationId !== undefined)
      context.emit({ type: 'subagent:spawned', conversationId, toolUseId: id, prompt: '' })
    return [id]
  })
}

/** Returns the oldest call without a session that has the first prompt of a session. */
function callWithPromptOf(
  sessionId: string,
  conversationId: string,
  context: OpencodeContext,
): BlockOf<'subagent'> | undefined {
  const prompt = context.blocksOf(sessionId).find(isPrompt)?.content
  for (const block of context.blocksOf(conversationId))
    if (block.type === 'subagent' && block.agentId === undefined && block.input === prompt) return block
  return undefined
}
