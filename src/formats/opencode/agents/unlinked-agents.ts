import { compareStrings } from '../../translation/order.ts'
import type { OpencodeContext } from '../context.ts'
import { locateSession } from '../routing/session-location.ts'

/**
 * Links subagents whose call is not known to their parent conversation, which their session names. A reverted call is one
 * cause. Returns the session ids of these subagents, the oldest first.
 */
export function spawnUnlinkedAgents(context: OpencodeContext): readonly string[] {
  const { sessions, callIdBySession, mainSessionId } = context.memory
  const unlinked = sessions
    .values()
    .filter(({ id, hasMessages }) => hasMessages && id !== mainSessionId)
    .filter(({ id }) => (callIdBySession.get(id) ?? id) === id)
    // OpenCode makes descending session ids: the newest session sorts first.
    .sort((left, right) => compareStrings(right.id, left.id))
  for (const { id, parentId } of unlinked) {
    if (parentId === undefined) continue
    const parent = locateSession(parentId, context.memory)
    if (parent.type !== 'conversation') continue
    const { conversationId } = parent
    context.emit({ type: 'subagent:spawned', conversationId, toolUseId: id, prompt: '' })
  }
  return unlinked.map(({ id }) => id)
}
