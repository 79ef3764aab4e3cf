import { omitUndefined } from '../../../json/omit-undefined.ts'
import { subagentBlockId } from '../../../state/block.ts'
import type { CodexContext } from '../context.ts'
import type { SpawnArguments } from '../items/stored-call.ts'
import { completeAgent } from './run.ts'

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
  if (context.item(threadId, callId)) return
  context.updateItem(threadId, callId, { role: 'agent' })
  const { announcedIds = [] } = context.factsOf(threadId)
  context.updateThread(threadId, { announcedIds: [...announcedIds, callId] })
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
  const { callId, agentId, prompt = '', agentPath, time } = link
  const known = context.thread(agentId)
  if (known?.callId !== undefined || known?.isMain || agentId === '') return
  const run = known?.run === 'ended' ? 'ended' : 'running'
  const path = agentPath ?? known?.agentPath
  context.updateItem(threadId, callId, { role: 'agent', endedBy: 'item' })
  forgetAnnounced(threadId, callId, context)
  context.updateThread(agentId, omitUndefined({ callId, parentId: threadId, run, agentPath: path }))
  context.emit(
    omitUndefined({
      type: 'subagent:spawned',
      conversationId: context.conversationOf(threadId),
      toolUseId: callId,
      agentId,
      prompt,
      description: path?.split('/').at(-1),
      timestamp: time,
    }),
  )
}

/** Ends the announced agent of a call that has failed. */
export function failAnnouncedAgent(
  threadId: string,
  { callId, output }: { readonly callId: string; readonly output: string },
  context: CodexContext,
): void {
  forgetAnnounced(threadId, callId, context)
  completeAgent({ toolUseId: callId, status: 'error', output }, context)
}

/** Ends the announced agents of calls that a stop of their turn has ended. */
export function failAnnouncedAgents(threadId: string, context: CodexContext): void {
  const { announcedIds = [] } = context.factsOf(threadId)
  for (const toolUseId of announcedIds) completeAgent({ toolUseId, status: 'error' }, context)
  if (announcedIds.length > 0) context.updateThread(threadId, { announcedIds: [] })
}

function forgetAnnounced(threadId: string, callId: string, context: CodexContext): void {
  const { announcedIds = [] } = context.factsOf(threadId)
  if (!announcedIds.includes(callId)) return
  context.updateThread(threadId, { announcedIds: announcedIds.filter((id) => id !== callId) })
}
