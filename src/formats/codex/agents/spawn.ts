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
  { callId, output }: { readonly callId: string; readonly output: string },
  context: CodexContext,
): void {
  completeAgent({ toolUseId: callId, status: 'error', output }, context)
}
