import { compositeKey } from '../../../core/json/lists.ts'
import { toolResultBlockId } from '../../../core/state/block.ts'
import { MAIN } from '../../../core/state/session.ts'
import { hasEnded } from '../../../core/state/subagent.ts'
import { agentCallInput, statesByAgent } from '../../../programs/codex/agent-call.ts'
import { activityCall, SPAWN_AGENT, WAIT_AGENT } from '../../../programs/codex/tool-names.ts'
import type { AgentState } from '../../../reading/lookups.ts'
import { showPrompt } from '../blocks/message.ts'
import { completeTool, startTool } from '../blocks/tool.ts'
import type { CodexContext, CodexMemory } from '../context.ts'
import type { CodexEventOf } from '../events/event.ts'
import type { ActivityItem, AgentCallItem, ToolItem } from '../items/item.ts'
import { announceAgent, endRun, failAnnounced, isRunning, linkAgent, readAgentCallEnd } from './run.ts'

/** Shows a call about agents. A call that starts an agent is the agent's block and nothing else. */
export function showAgentCall(
  threadId: string,
  item: AgentCallItem,
  { isCompleted, isStreamed }: Pick<CodexEventOf<'item'>, 'isCompleted' | 'isStreamed'>,
  context: CodexContext,
): void {
  if (item.toolName === SPAWN_AGENT) return showSpawn(threadId, item, isCompleted, context)
  const call = toolItem(item)
  if (!isCompleted) return startTool(threadId, call, context)
  if (!context.isDone(threadId, toolResultBlockId(item.id))) readAgentCallEnd(item, context)
  completeTool(
    threadId,
    item.toolName === WAIT_AGENT ? waitItem(threadId, call, item, context) : call,
    context,
    isStreamed,
  )
}

function toolItem({ agentIds, prompt, states, kind, ...item }: AgentCallItem): ToolItem {
  return {
    ...item,
    kind: 'tool',
    input: agentCallInput(agentIds, prompt),
    output: statesByAgent(states),
  }
}

/**
 * Returns the item of a wait as the model wrote its call. The item names only the agents that have ended, and has
 * failed if one of them has: the agents show that.
 */
function waitItem(
  threadId: string,
  call: ToolItem,
  { states }: AgentCallItem,
  memory: CodexMemory,
): ToolItem {
  const known = memory.blockOf(threadId, call.id)
  const input = known?.type === 'tool_use' ? known.input : call.input
  return { ...call, input, status: states.length > 0 ? 'completed' : call.status }
}

function showSpawn(
  threadId: string,
  { id: callId, agentIds, prompt, status, startedAt: time }: AgentCallItem,
  isCompleted: boolean,
  context: CodexContext,
): void {
  announceAgent(threadId, { callId, prompt: prompt ?? '', time }, context)
  for (const agentId of agentIds) linkAgent(threadId, { callId, agentId, prompt, time }, context)
  if (isCompleted && agentIds.length === 0 && status === 'failed') failAnnounced(callId, '', context)
}

/** Reads a sign of life of an agent. */
export function readActivity(threadId: string, item: ActivityItem, context: CodexContext): void {
  const { id: callId, activity, agentId, agentPath, startedAt: time } = item
  if (activity === 'started') linkAgent(threadId, { callId, agentId, agentPath, time }, context)
  showActivityCall(threadId, item, context)
  if (activity !== 'completed' && activity !== 'interrupted') return
  const status = activity === 'completed' ? 'completed' : 'error'
  if (isRunning(agentId, context)) endRun(agentId, { status }, context)
}

/** Shows the call of an activity, unless a rollout has shown it as the model wrote it. */
function showActivityCall(
  threadId: string,
  { id, activity, agentId, agentPath, startedAt }: ActivityItem,
  context: CodexContext,
): void {
  const toolName = activityCall(activity)
  if (toolName === undefined || context.isKnownItem(threadId, id)) return
  const states = activity === 'interrupted' ? [{ agentId, status: activity }] : []
  const call = { id, toolName, input: { target: agentPath ?? agentId }, status: 'completed' } as const
  if (context.isMain(threadId)) context.startWork(startedAt)
  const times = { startedAt, completedAt: startedAt }
  completeTool(threadId, { ...call, ...times, kind: 'tool', output: statesByAgent(states) }, context)
}

/** Reads a message between agents: a task for the thread's agent, or the report of an agent to the thread. */
export function readAgentMessage(
  threadId: string,
  { id, author, kind, text, time }: CodexEventOf<'agent-message'>,
  context: CodexContext,
): void {
  if (kind === 'FINAL_ANSWER') return endByReport(author, text ?? '', context)
  if (text === undefined || context.isMain(threadId)) return
  const content = [{ type: 'text', text } as const]
  showPrompt(threadId, { id: id ?? context.nextUnnamedId(threadId), content, time }, context)
}

/** The report shows the end of an agent whose own messages are missing. */
function endByReport(author: string, text: string, context: CodexContext): void {
  const threadId = runningThreadAt(author, context)
  if (threadId === undefined) return
  const failure = /^Agent errored: ([\s\S]*)$/.exec(text)?.[1]
  const status = failure === undefined ? 'completed' : 'error'
  endRun(threadId, { status, output: failure ?? text }, context)
}

/** Returns the thread of the running agent at a place such as `/root/outer/inner`. Each agent's description is its part of the place. */
function runningThreadAt(path: string, memory: CodexMemory): string | undefined {
  const [, ...names] = path.split('/').filter((part) => part !== '')
  let conversationId = MAIN
  let threadId: string | undefined
  for (const name of names) {
    const place = compositeKey(conversationId, name)
    const agent = memory.state.firstAgentIn(openPlaceOf, place) ?? memory.state.firstAgentIn(placeOf, place)
    if (!agent) return undefined
    conversationId = agent.toolUseId
    threadId = agent.agentId
  }
  return threadId !== undefined && isRunning(threadId, memory) ? threadId : undefined
}

const placeOf = ({ parentConversationId, description }: AgentState): string | undefined =>
  parentConversationId !== undefined && description !== undefined
    ? compositeKey(parentConversationId, description)
    : undefined
const openPlaceOf = (agent: AgentState): string | undefined => (hasEnded(agent) ? undefined : placeOf(agent))
