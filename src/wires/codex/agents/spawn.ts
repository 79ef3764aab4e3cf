import { omitUndefined } from '../../../core/json/fields.ts'
import { subagentBlockId } from '../../../core/state/block.ts'
import { type CodexContext, UNNAMED } from '../context.ts'
import type { SpawnArguments } from '../items/stored-call.ts'
import { silentThreads } from '../threads.ts'

interface Announcement extends SpawnArguments {
  readonly callId: string
  readonly time?: string | undefined
}

/** Announces the agent of a call whose thread is not known yet. */
export function announceAgent(
  threadId: string,
  { callId, prompt, role, task, time }: Announcement,
  context: CodexContext,
): void {
  if (context.isKnownItem(threadId, callId)) return
  const facts = { name: role, description: task, timestamp: time }
  const block = {
    type: 'subagent',
    id: subagentBlockId(callId),
    toolUseId: callId,
    status: 'pending',
    input: prompt,
  } as const
  context.showWork(threadId, omitUndefined({ ...block, ...facts }), time)
}

interface Link {
  readonly callId: string
  readonly agentId: string
  readonly prompt?: string | undefined
  readonly agentPath?: string | undefined
  readonly time?: string | undefined
}

/** Links a thread to the call that started it. The first call stays: later ones send the agent further tasks. */
export function linkAgent(threadId: string, link: Link, context: CodexContext): void {
  const { callId, agentId, prompt = '', time } = link
  const known = context.findAgent(agentId)
  if (agentId === '' || context.isMain(agentId) || (known && known.toolUseId !== agentId)) return
  const path = link.agentPath ?? context.notes.origins.get(agentId)?.agentPath
  context.removeEntry('origins', agentId)
  context.emit({
    type: 'subagent:spawned',
    conversationId: context.conversationOf(threadId),
    toolUseId: callId,
    agentId,
    prompt,
    description: path?.split('/').at(-1),
    timestamp: time,
  })
}

/** Shows the agents whose call no message has named, under their parents. Returns their ids. */
export function spawnUnlinkedAgents(context: CodexContext): readonly string[] {
  const shown = context
    .agents()
    .flatMap(({ toolUseId, parentConversationId }) => (parentConversationId === undefined ? [toolUseId] : []))
  const unlinked = [...shown, ...silentThreads(context)]
  for (const id of unlinked) {
    const { parentId } = context.notes.origins.get(id) ?? {}
    const conversationId = context.conversationOf(parentId ?? UNNAMED)
    context.removeEntry('origins', id)
    context.emit({ type: 'subagent:spawned', conversationId, toolUseId: id, agentId: id, prompt: '' })
  }
  return unlinked
}
