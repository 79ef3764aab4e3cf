import { hasEnded } from '../../../core/state/subagent.ts'
import type { CodexContext } from '../context.ts'
import { silentThreads } from '../threads.ts'

interface RunEnd {
  readonly status: 'completed' | 'error'
  readonly output?: string | undefined
  readonly durationMs?: number | undefined
}

/** Ends the run of an agent's thread. */
export function endRun(threadId: string, end: RunEnd, context: CodexContext): void {
  context.noteUnfinished(threadId)
  const toolUseId = context.conversationOf(threadId)
  context.emit({ type: 'subagent:completed', toolUseId, agentId: threadId, ...end })
}

/** Ends the run of an agent's thread, and what is open in it. */
export function endOwnRun(threadId: string, end: RunEnd, context: CodexContext): void {
  context.noteUnfinished(threadId)
  context.emit({ type: 'session:idle', conversationId: context.conversationOf(threadId) })
  endRun(threadId, end, context)
}

/** Ends the announced agent of a call. */
export function failAnnounced(toolUseId: string, output: string | undefined, context: CodexContext): void {
  context.emit({ type: 'subagent:completed', toolUseId, status: 'error', output })
}

/** Ends the agents that a thread has announced: a stop of its turn has ended their calls. */
export function failAllAnnounced(threadId: string, context: CodexContext): void {
  const parentId = context.conversationOf(threadId)
  const announced = context
    .agents()
    .filter((agent) => agent.parentConversationId === parentId && context.isAnnounced(agent.toolUseId))
    .map(({ toolUseId }) => toolUseId)
  for (const toolUseId of announced) failAnnounced(toolUseId, undefined, context)
}

/** Whether the thread of an agent works. */
export function isRunning(threadId: string, context: CodexContext): boolean {
  const agent = context.findAgent(threadId)
  return agent ? !hasEnded(agent) : context.notes.turns.get(threadId) !== undefined
}

/** Stops all agents: the program ends. */
export function stopAgents(context: CodexContext): void {
  const running = context.openAgents()
  for (const { toolUseId, agentId = toolUseId } of running)
    if (context.isAnnounced(toolUseId)) failAnnounced(toolUseId, undefined, context)
    else endOwnRun(agentId, { status: 'error' }, context)
  for (const threadId of silentThreads(context)) endOwnRun(threadId, { status: 'error' }, context)
}
