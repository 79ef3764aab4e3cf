import { omitUndefined } from '../../../json/omit-undefined.ts'
import type { AgUiContext } from '../context.ts'
import type { KnownAgent } from '../memory.ts'
import { closeLane } from '../messages/lanes.ts'

/** The end of an agent's run. */
interface AgentEnd {
  readonly status: 'completed' | 'error'
  readonly output?: string | undefined
  readonly durationMs?: number | undefined
}

/** Ends the run of an agent. */
export function completeAgent({ id }: KnownAgent, end: AgentEnd, context: AgUiContext): void {
  const { agentId, ...known } = context.updateAgent(id, {
    status: 'ended',
    isFailed: end.status === 'error',
  })
  const output = end.output ?? known.output
  const durationMs = end.durationMs ?? known.durationMs
  context.updateAgent(id, { output, durationMs })
  closeLane(id, context)
  context.finalizeKnown(id, end.status === 'error' ? 'error' : 'complete')
  context.emit(
    omitUndefined({
      type: 'subagent:completed',
      toolUseId: id,
      agentId,
      status: end.status,
      output,
      durationMs,
    }),
  )
}

/** Ends the agents that still run when their run ends. Those that go on later are suspended. */
export function completeAgents(status: AgentEnd['status'], context: AgUiContext): void {
  for (const agent of agentsThatRun(context))
    if (agent.status === 'running') completeAgent(agent, { status }, context)
}

/** Returns the agents that run or are suspended, in their order. */
function agentsThatRun({ memory }: AgUiContext): readonly KnownAgent[] {
  const running = memory.agents
    .values()
    .filter(({ status }) => status === 'running' || status === 'suspended')
  return running.sort((left, right) => left.order - right.order)
}
