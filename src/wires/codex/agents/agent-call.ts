import { agentCallInput, statesByAgent } from '../../../programs/codex/agent-call.ts'
import { SPAWN_AGENT } from '../../../programs/codex/tool-names.ts'
import { completeTool, startTool } from '../blocks/tool.ts'
import type { CodexContext } from '../context.ts'
import type { ActivityItem, AgentCallItem, ToolItem } from '../items/item.ts'
import { applyStates, endRun } from './run.ts'
import { announceAgent, failAnnouncedAgent, linkAgent } from './spawn.ts'

/** Shows a call about agents. A call that starts an agent is the agent's block and nothing else. */
export function showAgentCall(
  threadId: string,
  item: AgentCallItem,
  isCompleted: boolean,
  context: CodexContext,
): void {
  if (item.toolName === SPAWN_AGENT) return showSpawn(threadId, item, isCompleted, context)
  const call = toolItem(item)
  if (!isCompleted) return startTool(threadId, call, context)
  completeTool(threadId, call, context)
  if (STATES_ARE_CURRENT.has(item.toolName)) applyStates(item.states, context)
}

/** The tools whose results have the current states of agents. A message to an agent has the state before it. */
const STATES_ARE_CURRENT: ReadonlySet<string> = new Set(['wait_agent', 'close_agent'])

function toolItem({ agentIds, prompt, states, kind, ...item }: AgentCallItem): ToolItem {
  return {
    ...item,
    kind: 'tool',
    input: agentCallInput(agentIds, prompt),
    output: statesByAgent(states),
  }
}

function showSpawn(
  threadId: string,
  { id: callId, agentIds, prompt, status, startedAt: time }: AgentCallItem,
  isCompleted: boolean,
  context: CodexContext,
): void {
  announceAgent(threadId, { callId, prompt: prompt ?? '', time }, context)
  for (const agentId of agentIds) linkAgent(threadId, { callId, agentId, prompt, time }, context)
  if (isCompleted && agentIds.length === 0 && status === 'failed')
    failAnnouncedAgent(threadId, { callId, output: '' }, context)
}

/** Reads a sign of life of an agent. */
export function readActivity(
  threadId: string,
  { id: callId, activity, agentId, agentPath, startedAt: time }: ActivityItem,
  context: CodexContext,
): void {
  if (activity === 'started') linkAgent(threadId, { callId, agentId, agentPath, time }, context)
  if (context.thread(agentId)?.run !== 'running') return
  if (activity === 'completed') endRun(agentId, { status: 'completed' }, context)
  if (activity === 'interrupted') endRun(agentId, { status: 'error' }, context)
}
