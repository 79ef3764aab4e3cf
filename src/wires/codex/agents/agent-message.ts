import { showPrompt } from '../blocks/user.ts'
import type { CodexContext } from '../context.ts'
import type { CodexEventOf } from '../events/event.ts'
import { endRun } from './run.ts'

/** Reads a message between agents: a task for the thread's agent, or the report of an agent to the thread. */
export function readAgentMessage(
  threadId: string,
  { id, author, kind, text, time }: CodexEventOf<'agent-message'>,
  context: CodexContext,
): void {
  if (kind === 'FINAL_ANSWER') return endByReport(author, text ?? '', context)
  if (text === undefined || context.factsOf(threadId).isMain) return
  const content = [{ type: 'text', text } as const]
  showPrompt(threadId, { id: id ?? context.nextUnnamedId(threadId), content, time }, context)
}

/** The report shows the end of an agent whose own messages are missing. */
function endByReport(author: string, text: string, context: CodexContext): void {
  const agent = context.memory.threads.values().find(({ agentPath }) => agentPath === author)
  if (agent?.run !== 'running') return
  const failure = /^Agent errored: ([\s\S]*)$/.exec(text)?.[1]
  endRun(
    agent.id,
    { status: failure === undefined ? 'completed' : 'error', output: failure ?? text },
    context,
  )
}
