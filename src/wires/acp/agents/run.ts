import { omitUndefined } from '../../../json/omit-undefined.ts'
import type { AgentEnd } from '../../../programs/reader.ts'
import { withdrawRequestsOf } from '../../../session/rpc-requests.ts'
import { closeText } from '../blocks/text.ts'
import type { AcpContext } from '../context.ts'

/** The end of an agent's run. */
export interface RunEnd {
  readonly status: 'completed' | 'error'
  readonly agentId?: string | undefined
  readonly output?: string | undefined
  readonly durationMs?: number | undefined
}

/** Ends the run of an agent. An output that comes later is added. */
export function endAgent(toolUseId: string, end: RunEnd, context: AcpContext): void {
  closeText(toolUseId, context)
  withdrawRequestsOf(toolUseId, context)
  context.emit({ type: 'session:idle', conversationId: toolUseId })
  const { lastText } = context.thread(toolUseId)
  const output = end.output ?? lastText
  const { agentId } = context.updateAgent(
    toolUseId,
    omitUndefined({ run: 'ended', agentId: end.agentId, hasOutput: end.output !== undefined }),
  )
  const { status, durationMs } = end
  context.emit(omitUndefined({ type: 'subagent:completed', toolUseId, agentId, status, output, durationMs }))
}

/** Ends a running agent that a call or a notification names. */
export function endNamedAgent({ toolUseId, agentId, ...end }: AgentEnd, context: AcpContext): void {
  const agent = toolUseId === undefined ? context.agentOf(agentId ?? '') : context.agent(toolUseId)
  if (agent && agent.run !== 'ended') endAgent(agent.id, end, context)
}

/** Adds the output of an agent that has ended without one. */
export function addOutput(toolUseId: string, output: string, context: AcpContext): void {
  if (context.agent(toolUseId)?.hasOutput) return
  context.updateAgent(toolUseId, { hasOutput: true })
  context.emit({ type: 'subagent:completed', toolUseId, status: 'completed', output })
}
