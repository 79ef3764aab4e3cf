import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asString, type JsonObject } from '../../../json/values.ts'
import { MAIN } from '../../../state/session.ts'
import type { ClaudeContext } from '../context.ts'
import { conversationOfAgent } from '../lines/line.ts'
import type { Agent } from '../memory.ts'

/** What a message tells of an agent; the call's id is the key. */
export type AgentNews = Partial<Omit<Agent, 'order'>> & Pick<Agent, 'toolUseId'>

/** Tools whose call starts an agent; `Task` is the older name, still taken as an alias. */
export function startsAgent(toolName: string | undefined): boolean {
  return toolName === 'Agent' || toolName === 'Task'
}

/**
 * Learns what a message tells of an agent. Once its parent is known, whatever is news goes out as a spawn, which only
 * adds what was unknown: a call, a task event, a file's meta data and a result each know a part of it.
 */
export function learnAgent({ toolUseId, ...news }: AgentNews, translation: ClaudeContext): Agent {
  const { memory } = translation
  const before = memory.agents.get(toolUseId)
  const agent: Agent = { order: memory.agentCount, ...news, ...before, toolUseId }
  if (before && Object.keys(agent).length === Object.keys(before).length) return before
  rememberAgent(agent, translation)
  const { parent, prompt = '', name: subagentType, description, agentId, runId, messageId, timestamp } = agent
  if (parent !== undefined && isSpawnNews(agent, before))
    translation.emit(
      omitUndefined({
        type: 'subagent:spawned',
        conversationId: parent,
        toolUseId,
        prompt,
        subagentType,
        description,
        agentId,
        runId,
        messageId,
        timestamp,
      }),
    )
  return agent
}

export function rememberAgent(agent: Agent, translation: ClaudeContext): void {
  const { agents, openAgents, toolUseIds, agentCount } = translation.memory
  const { toolUseId, agentId = toolUseId } = agent
  // An agent that was met before its call stood under its own id.
  const others = openAgents.without(agentId)
  translation.remember({
    agents: (agentId === toolUseId ? agents : agents.without(agentId)).with(toolUseId, agent),
    openAgents: agent.isSettled ? others.without(toolUseId) : others.with(toolUseId, toolUseId),
    agentCount: Math.max(agentCount, agent.order + 1),
    toolUseIds: agent.agentId === undefined ? toolUseIds : toolUseIds.with(agent.agentId, agent.toolUseId),
  })
}

/** The parent is known for agents of the first level and, in newer versions, for nested ones; else the call tells it. */
export function parentOfAgent(
  { parentAgentId, depth }: { readonly parentAgentId: unknown; readonly depth: unknown },
  { memory }: ClaudeContext,
): string | undefined {
  if (typeof parentAgentId === 'string') return conversationOfAgent(memory, parentAgentId)
  return depth === 1 ? MAIN : undefined
}

/**
 * Whether a call, or its result, stands in a copy: a forked agent's conversation begins with a copy of the message that
 * called it, and that call belongs to the parent.
 */
export function isCopiedCall(toolUseId: string, conversationId: string, { memory }: ClaudeContext): boolean {
  const parent = memory.agents.get(toolUseId)?.parent
  if (toolUseId === conversationId) return true
  return parent !== undefined && conversationOfAgent(memory, parent) !== conversationId
}

/** The agent that the program means with a task: the task's id is the agent's own, if that is known; else the call tells. */
export function agentOfTask(
  { task_id, tool_use_id }: JsonObject,
  { memory }: ClaudeContext,
): Agent | undefined {
  const toolUseId = memory.toolUseIds.get(asString(task_id) ?? '') ?? asString(tool_use_id) ?? ''
  return memory.agents.get(toolUseId)
}

/** How a run ended, in the program's words: `completed`, or one of several for the rest. */
export function runStatus(status: unknown): 'completed' | 'error' {
  return status === 'completed' ? 'completed' : 'error'
}

/** The run of an agent ends. What is not known of it is left as it is. */
export function completeAgent(
  agent: Agent,
  ending: {
    readonly status: 'completed' | 'error'
    readonly runId?: string | undefined
    readonly output?: string | undefined
    readonly durationMs?: number | undefined
  },
  translation: ClaudeContext,
): void {
  const { toolUseId, agentId, runId, resumedRunId = runId } = agent
  const isCurrentRun =
    ending.runId === undefined || resumedRunId === undefined || ending.runId === resumedRunId
  if (isCurrentRun) rememberAgent({ ...agent, isSettled: true }, translation)
  const status = hasFailed(agent, ending.output) ? 'error' : ending.status
  translation.emit(omitUndefined({ type: 'subagent:completed', toolUseId, agentId, ...ending, status }))
}

/** Before 2.1.330 a failed request to the model ends an agent like a report: its text is all that tells. */
function hasFailed({ isFailed }: Agent, output: string | undefined): boolean {
  return isFailed === true || output?.startsWith('API Error: ') === true
}

interface Resume {
  /** The call that asked for it. */
  readonly callId?: string | undefined
  readonly runId?: string | undefined
  readonly prompt?: string | undefined
}

/** A finished agent goes on; the message that says so first counts. */
export function resumeAgent(
  agent: Agent,
  { callId, runId, prompt }: Resume,
  translation: ClaudeContext,
): void {
  const { toolUseId } = agent
  if (callId !== undefined) translation.remember({ resumes: translation.memory.resumes.with(callId, callId) })
  if (!agent.isSettled) return
  rememberAgent(
    omitUndefined({ ...agent, isSettled: false, isFailed: false, resumedRunId: runId }),
    translation,
  )
  translation.emit(omitUndefined({ type: 'subagent:resumed', toolUseId, runId, prompt }))
}

const SPAWN_FACTS = [
  'parent',
  'prompt',
  'name',
  'description',
  'agentId',
  'runId',
  'messageId',
  'timestamp',
] as const

function isSpawnNews(agent: Agent, before: Agent | undefined): boolean {
  return SPAWN_FACTS.some((fact) => agent[fact] !== before?.[fact])
}
