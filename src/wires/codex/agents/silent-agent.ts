import { hasEnded } from '../../../core/state/subagent.ts'
import { type AgentCall, type AgentState, endOf } from '../../../programs/codex/agent-call.ts'
import { CLOSE_AGENT, SEND_INPUT, WAIT_AGENT } from '../../../programs/codex/tool-names.ts'
import type { CodexContext } from '../context.ts'
import { endRun, isRunning } from './run.ts'

// The stream of `codex exec`, and a rollout whose agents' files are missing, have no messages of the agents. Only calls show their runs.

/** Reads what the end of a call shows of its agents. A message to an agent has the state before it. */
export function readAgentCallEnd(
  { toolName, agentIds, states, status }: Omit<AgentCall, 'prompt'>,
  context: CodexContext,
): void {
  if (toolName === SEND_INPUT && status === 'completed')
    for (const agentId of agentIds) if (isSilent(agentId, context)) resume(agentId, context)
  if (toolName !== WAIT_AGENT && toolName !== CLOSE_AGENT) return
  for (const state of states) applyState(state, toolName === CLOSE_AGENT, context)
}

/** Ends the agent if it has ended. A closed agent has, and a further report is that of a further run. */
function applyState(
  { agentId, status, message: output }: AgentState,
  isClosed: boolean,
  context: CodexContext,
): void {
  const isOver = isClosed && isSilent(agentId, context)
  const ended = endOf(status) ?? (isOver ? 'error' : undefined)
  if (!ended) return
  if (isFurtherReport(agentId, output, context)) resume(agentId, context)
  if (isRunning(agentId, context)) endRun(agentId, { status: ended, output }, context)
}

function isFurtherReport(agentId: string, output: string | undefined, context: CodexContext): boolean {
  const agent = context.findAgent(agentId)
  if (output === undefined || !agent || !hasEnded(agent) || !isSilent(agentId, context)) return false
  return agent.output !== undefined && agent.output !== output
}

function resume(agentId: string, context: CodexContext): void {
  if (context.hasEnded(agentId))
    context.emit({ type: 'subagent:resumed', toolUseId: context.conversationOf(agentId) })
}

/** Whether the input has no messages of the agent. Its prompt is that of its call. */
function isSilent(agentId: string, context: CodexContext): boolean {
  if (context.notes.turns.get(agentId) !== undefined) return false
  return context.blocksOf(context.conversationOf(agentId)).every(({ type }) => type === 'user_message')
}
