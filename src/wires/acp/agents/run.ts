import { hasEnded } from '../../../core/state/subagent.ts'
import type { AgentEnd } from '../../../programs/reader.ts'
import type { AgentState } from '../../../reading/lookups.ts'
import { closeText } from '../blocks/text.ts'
import type { AcpContext, AcpMemory } from '../context.ts'
import { endRequestsOf } from '../requests.ts'

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
  endRequestsOf(toolUseId, context)
  context.emit({ type: 'session:idle', conversationId: toolUseId })
  const { status, agentId, durationMs } = end
  const output = end.output ?? context.notes.values.reports.get(toolUseId) ?? context.lastTextOf(toolUseId)
  context.notes.removeEntry('reports', toolUseId)
  context.notes.removeEntry('launched', toolUseId)
  context.notes.removeEntry('reporting', toolUseId)
  context.emit({ type: 'subagent:completed', toolUseId, agentId, status, output, durationMs })
}

/** Ends a running agent that a call or a notification names. */
export function endNamedAgent({ toolUseId, agentId, ...end }: AgentEnd, context: AcpContext): void {
  const agent =
    toolUseId === undefined ? context.state.findAgent(agentId ?? '') : context.state.agentOfCall(toolUseId)
  if (agent && !hasEnded(agent)) endAgent(agent.toolUseId, end, context)
}

/** Adds the report of an agent that has ended without one. Its last text stands for the report. */
export function addReport(toolUseId: string, output: string, context: AcpContext): void {
  const agent = context.state.agentOfCall(toolUseId)
  if (agent?.output !== undefined && agent.output !== context.lastTextOf(toolUseId)) return
  context.emit({ type: 'subagent:completed', toolUseId, status: 'completed', output })
}

/** Ends the first agent in the background that has no open call, because a notification has come that names none. */
export function endNotified(context: AcpContext): void {
  const agent = inBackground(context).find(
    ({ toolUseId }) => context.state.pendingBlocks(toolUseId).length === 0,
  )
  if (agent) endInBackground(agent.toolUseId, 'completed', context)
}

/** Ends all agents in the background: main's prompt is answered, and the program reports no other end. */
export function endAllInBackground(status: RunEnd['status'], context: AcpContext): void {
  for (const { toolUseId } of inBackground(context)) endInBackground(toolUseId, status, context)
}

function inBackground(memory: AcpMemory): readonly AgentState[] {
  const { launched, reporting } = memory.notes.values
  const agents = [...launched.entries()].flatMap(([id]) => memory.state.agentOfCall(id) ?? [])
  return agents.filter(({ toolUseId }) => !reporting.get(toolUseId) && !memory.state.hasEnded(toolUseId))
}

/** Ends an agent whose work may go on, although its end seems to be there. */
function endInBackground(toolUseId: string, status: RunEnd['status'], context: AcpContext): void {
  endAgent(toolUseId, { status }, context)
  context.notes.setEntry('launched', toolUseId, true)
  context.notes.setEntry('restarting', toolUseId, true)
}
