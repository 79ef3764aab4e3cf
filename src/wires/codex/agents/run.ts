import { omitUndefined } from '../../../json/omit-undefined.ts'
import type { AgentState } from '../../../programs/codex/agent-call.ts'
import { endOf } from '../../../programs/codex/agent-call.ts'
import type { CodexContext } from '../context.ts'

interface Completion {
  readonly toolUseId: string
  readonly agentId?: string | undefined
  readonly status: 'completed' | 'error'
  readonly output?: string | undefined
  readonly durationMs?: number | undefined
}

/** Reports the end of an agent's run. */
export function completeAgent(completion: Completion, context: CodexContext): void {
  context.emit(omitUndefined({ type: 'subagent:completed', ...completion }))
}

interface RunEnd {
  readonly status: 'completed' | 'error'
  readonly output?: string | undefined
  readonly durationMs?: number | undefined
}

/** Ends the run of an agent's thread. */
export function endRun(threadId: string, end: RunEnd, context: CodexContext): void {
  const thread = context.updateThread(threadId, { run: 'ended' })
  completeAgent({ toolUseId: thread.callId ?? threadId, agentId: threadId, ...end }, context)
}

/** Starts the run of an agent's thread. Later runs are further tasks for the same agent. */
export function startRun(threadId: string, context: CodexContext): void {
  const { run, callId } = context.thread(threadId) ?? {}
  context.updateThread(threadId, { run: 'running', lastText: undefined })
  if (run === 'ended') context.emit({ type: 'subagent:resumed', toolUseId: callId ?? threadId })
}

/** Ends the agents that have ended in the words of a call. Only this shows it if the agent's own messages are missing. */
export function applyStates(states: readonly AgentState[], context: CodexContext): void {
  for (const { agentId, status, message } of states) {
    const ended = endOf(status)
    if (ended && context.thread(agentId)?.run === 'running')
      endRun(agentId, { status: ended, output: message }, context)
  }
}

/** Stops all agents that run: the program ends. */
export function stopAgents(context: CodexContext): void {
  for (const id of runningIds(context)) {
    context.emit({ type: 'session:idle', conversationId: context.conversationOf(id) })
    endRun(id, { status: 'error' }, context)
  }
}

/** Returns the threads of agents that run, in their order. */
function runningIds({ memory }: CodexContext): readonly string[] {
  const running = memory.threads
    .values()
    .filter(({ run, isMain, isOther }) => run === 'running' && !isMain && !isOther)
  return running.sort((left, right) => left.order - right.order).map(({ id }) => id)
}
