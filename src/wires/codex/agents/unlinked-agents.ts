import type { CodexContext } from '../context.ts'
import type { KnownThread } from '../memory.ts'

/** Shows the agents whose call no message has named, under their parents. Returns their ids. */
export function spawnUnlinkedAgents(context: CodexContext): readonly string[] {
  const unlinked = context.memory.threads.values().filter(isUnlinked)
  return unlinked
    .sort((left, right) => left.order - right.order)
    .map(({ id, parentId }) => {
      const conversationId = context.conversationOf(parentId ?? '')
      context.emit({ type: 'subagent:spawned', conversationId, toolUseId: id, agentId: id, prompt: '' })
      return id
    })
}

/** Whether the thread has messages of its own, and no call. */
function isUnlinked({ isMain, isOther, callId, hasTurns, reports, run }: KnownThread): boolean {
  const isShown = hasTurns === true || reports !== undefined || run !== 'none'
  return !isMain && !isOther && callId === undefined && isShown
}
