import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asString } from '../../../json/values.ts'
import { withChanges } from '../../../json/with-changes.ts'
import { MAIN } from '../../../state/session.ts'
import type { ClaudeContext } from '../context.ts'
import type { Line } from '../lines/line.ts'
import type { Agent, AgentFacts } from '../memory.ts'

/** The use of each fact: the event of an agent's spawn carries it, or only the source needs it. */
const USES: { readonly [Name in keyof Required<AgentFacts>]: 'spawn' | 'source' } = {
  parent: 'spawn',
  prompt: 'spawn',
  name: 'spawn',
  description: 'spawn',
  agentId: 'spawn',
  runId: 'spawn',
  messageId: 'spawn',
  timestamp: 'spawn',
  parentFromMeta: 'source',
  hasCall: 'source',
  hasOpenCall: 'source',
  isBackground: 'source',
  isTeammate: 'source',
}

/**
 * Registers an agent, or adds facts to a registered one. A call, a task event, a meta file and a result each state some of
 * the facts. Once the parent is known, each new fact is emitted with a spawn event, which only fills in missing facts.
 */
export function registerAgent(toolUseId: string, facts: AgentFacts, context: ClaudeContext): Agent {
  const { agents, agentCount } = context.memory
  const before = agents.get(toolUseId)
  const agent = before
    ? mergeAgentFacts(before, facts)
    : withChanges<Agent>({ toolUseId, order: agentCount }, facts)
  if (agent === before) return before
  storeAgent(agent, context)
  if (agent.parent !== undefined && !agent.isAbandoned && hasNewFact(before, agent, 'spawn'))
    emitSpawn(agent, agent.parent, context)
  return agent
}

/** Adds the facts that are missing. A known fact stays, and without a new fact the agent is the same object. */
function mergeAgentFacts(known: Agent, facts: AgentFacts): Agent {
  return hasNewFact(known, facts) ? Object.assign({}, known, facts, known) : known
}

/** Whether one of the facts is new. `use` limits the question to facts of that use. */
function hasNewFact(known: AgentFacts = {}, facts: AgentFacts, use?: 'spawn'): boolean {
  for (const name in facts)
    if (isFactName(name) && (use === undefined || USES[name] === use) && isNew(known[name], facts[name]))
      return true
  return false
}

function isNew(known: unknown, fact: unknown): boolean {
  return known === undefined && fact !== undefined
}

function isFactName(name: string): name is keyof AgentFacts {
  return Object.hasOwn(USES, name)
}

function emitSpawn(agent: Agent, conversationId: string, context: ClaudeContext): void {
  const {
    toolUseId,
    prompt = '',
    name: subagentType,
    description,
    agentId,
    runId,
    messageId,
    timestamp,
  } = agent
  context.emit(
    omitUndefined({
      type: 'subagent:spawned',
      conversationId,
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
}

/** Keeps an agent as it is now, and whether it still runs. */
export function storeAgent(agent: Agent, context: ClaudeContext): void {
  const { toolUseId, agentId = toolUseId } = agent
  const before = context.memory.agents.get(toolUseId)
  if (before && before.agentId === agent.agentId && before.hasEnded === agent.hasEnded)
    return context.setEntry('agents', toolUseId, agent)
  // An agent that was registered before its call is stored under its own id.
  if (agentId !== toolUseId) forgetAgent(agentId, context)
  context.setEntry('agents', toolUseId, agent)
  if (agent.hasEnded) context.removeEntry('unfinishedAgents', toolUseId)
  else context.setEntry('unfinishedAgents', toolUseId, toolUseId)
  if (agent.agentId !== undefined) context.setEntry('toolUseIdByAgent', agent.agentId, toolUseId)
  context.remember({ agentCount: Math.max(context.memory.agentCount, agent.order + 1) })
}

/** Forgets an agent that is stored under that id, for example because its call was taken back. */
export function forgetAgent(id: string, context: ClaudeContext): void {
  context.removeEntry('agents', id)
  context.removeEntry('lastTexts', id)
  context.removeEntry('unfinishedAgents', id)
}

/** Keeps the facts of an agent until a message connects the agent to its call. */
export function storeAgentWithoutCall(agentId: string, facts: AgentFacts, context: ClaudeContext): void {
  context.setEntry('agentsWithoutCall', agentId, facts)
}

/** Connects an agent to its call. */
export function linkAgent(
  { agentId, toolUseId }: { readonly agentId: string; readonly toolUseId: string },
  context: ClaudeContext,
): void {
  registerAgent(toolUseId, { agentId, ...context.memory.agentsWithoutCall.get(agentId) }, context)
}

/** Registers the agent of a line: each line of a subagent names the call that started it, the agent, or both. */
export function registerAgentOfLine({ raw, agentId, conversationId }: Line, context: ClaudeContext): void {
  if (conversationId === MAIN) return
  const { agents, agentsWithoutCall } = context.memory
  const agent = agents.get(conversationId)
  if (agent && (agent.agentId !== undefined || agentId === undefined)) return
  const facts = omitUndefined({
    agentId,
    ...(agentId === undefined ? undefined : agentsWithoutCall.get(agentId)),
    name: asString(raw.subagent_type),
    description: asString(raw.task_description),
  })
  registerAgent(conversationId, facts, context)
}
