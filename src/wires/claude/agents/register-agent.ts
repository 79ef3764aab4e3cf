import { type Changes, omitUndefined } from '../../../core/json/fields.ts'
import { asObject, asString, type JsonObject } from '../../../core/json/values.ts'
import { subagentBlockId } from '../../../core/state/block.ts'
import { MAIN } from '../../../core/state/session.ts'
import { isAgentCall, toolUseIdOf } from '../block-ids.ts'
import type { Line } from '../lines/line.ts'
import type { AgentNote, ClaudeContext, ClaudeMemory } from '../notes.ts'
import {
  type Agent,
  callOfAgent,
  factsOf,
  findAgent,
  forgetAgent,
  isCopiedCall,
  isTeammateId,
  noteAgent,
} from './agent.ts'

/** The facts that a message states about an agent. An absent field is unknown. */
interface AgentFacts
  extends Pick<
    AgentNote,
    | 'parent'
    | 'agentId'
    | 'prompt'
    | 'name'
    | 'description'
    | 'phase'
    | 'launchedBy'
    | 'workflowRun'
    | 'messageId'
    | 'timestamp'
    | 'runId'
    | 'parentFromMeta'
    | 'hasCall'
    | 'isBackground'
  > {}

/**
 * Registers an agent, or adds facts to a registered one. A call, a task event, a meta file and a result each state
 * some of the facts. Once the parent is known, each new fact is emitted with a spawn event, which only fills in
 * missing facts. Before that, no event can carry them.
 */
export function registerAgent(toolUseId: string, facts: AgentFacts, context: ClaudeContext): Agent {
  const before = findAgent(toolUseId, context)
  const { parent, isBackground, ...others } = facts
  const note = context.notes.values.agents.get(toolUseId)
  // An agent that was registered before its call has a note under its own id.
  if (others.agentId !== undefined && others.agentId !== toolUseId) forgetAgent(others.agentId, context.notes)
  const knownParent = before?.parent ?? factsOf(toolUseId, context.state)?.parentConversationId ?? parent
  if (isBackground && before?.isBackground === undefined && !before?.isLaunched && !before?.hasEnded)
    noteAgent(toolUseId, { isBackground }, context)
  if (knownParent === undefined || context.state.isAbandoned(subagentBlockId(toolUseId))) {
    if (!before || hasNewFact(before, others)) noteAgent(toolUseId, { ...others, ...note }, context)
    if (others.agentId !== undefined && before?.agentId === undefined)
      context.notes.setEntry('toolUseIds', others.agentId, toolUseId)
  } else if (!before || before.parent === undefined || hasNewFact(before, spawnFacts(others)))
    spawn(toolUseId, { ...others, ...omitUndefined({ ...note }), parent: knownParent }, context)
  return findAgent(toolUseId, context) ?? { hasEnded: false, ...facts, toolUseId }
}

/** Whether one of the facts is new. */
function hasNewFact(known: Agent, facts: Changes<AgentNote>): boolean {
  const values: Readonly<Record<string, unknown>> = { ...known }
  return Object.entries(facts).some(([name, fact]) => fact !== undefined && values[name] === undefined)
}

/** Returns the facts that the event of a spawn carries. */
function spawnFacts({
  agentId,
  prompt,
  name,
  description,
  phase,
  launchedBy,
  messageId,
  timestamp,
  runId,
}: AgentFacts): Changes<AgentNote> {
  return { agentId, prompt, name, description, phase, launchedBy, messageId, timestamp, runId }
}

function spawn(
  toolUseId: string,
  facts: AgentFacts & { readonly parent: string },
  context: ClaudeContext,
): void {
  const { prompt = '', name: subagentType, description, phase, launchedBy } = facts
  const { agentId, runId, messageId, timestamp } = facts
  if (agentId !== undefined) context.notes.removeEntry('toolUseIds', agentId)
  context.emit({
    type: 'subagent:spawned',
    conversationId: facts.parent,
    toolUseId,
    prompt,
    subagentType,
    description,
    phase,
    launchedBy,
    agentId,
    runId,
    messageId,
    timestamp,
  })
  const { runId: firstRunId, isResumed } = context.notes.values.agents.get(toolUseId) ?? {}
  noteAgent(toolUseId, { ...TOLD, ...(isResumed && { runId: firstRunId }) }, context)
}

/** The facts that the state has after a spawn, and those that matter only before it. */
const TOLD: { readonly [Name in keyof AgentFacts & keyof AgentNote]?: undefined } = {
  agentId: undefined,
  prompt: undefined,
  name: undefined,
  description: undefined,
  phase: undefined,
  launchedBy: undefined,
  workflowRun: undefined,
  messageId: undefined,
  timestamp: undefined,
  runId: undefined,
  parentFromMeta: undefined,
  hasCall: undefined,
  parent: undefined,
}

/** Keeps the facts of an agent until a message connects the agent to its call. */
export function storeAgentWithoutCall(
  agentId: string,
  facts: AgentFacts,
  notes: ClaudeContext['notes'],
): void {
  notes.setEntry('agentsWithoutCall', agentId, facts)
}

/** Connects an agent to its call. */
export function linkAgent(
  { agentId, toolUseId }: { readonly agentId: string; readonly toolUseId: string },
  context: ClaudeContext,
): void {
  registerAgent(toolUseId, { agentId, ...context.notes.values.agentsWithoutCall.get(agentId) }, context)
}

/** Registers the agent of a line: each line of a subagent names the call that started it, the agent, or both. */
export function registerAgentOfLine({ raw, agentId, conversationId }: Line, context: ClaudeContext): void {
  if (conversationId === MAIN) return
  // Only the result of a call names the run of a workflow, or a teammate's name. So the agent's lines wait for that
  // result.
  const isAwaiting = isTeammateId(agentId) || asObject(raw.meta).runId !== undefined
  if (raw.type === 'agent_meta' && isAwaiting) return
  const agent = findAgent(conversationId, context)
  if (agent && (agent.agentId !== undefined || agentId === undefined)) return
  const facts = omitUndefined({
    agentId,
    ...(agentId === undefined ? undefined : context.notes.values.agentsWithoutCall.get(agentId)),
    name: asString(raw.subagent_type),
    description: asString(raw.task_description),
  })
  registerAgent(conversationId, facts, context)
}

/** Returns the content blocks of a line, and gives each agent's call without an id one. No result can name such a call. */
export function withAgentCallIds(parts: readonly JsonObject[], lineId: string): readonly JsonObject[] {
  if (!parts.some(lacksId)) return parts
  return parts.map((part, at) => (lacksId(part) ? { ...part, id: `${lineId}:${at}` } : part))
}

function lacksId(part: JsonObject): boolean {
  return isAgentCall(part) && toolUseIdOf(part) === ''
}

/** Returns the known agent that a call of `Task` resumes (2.0.60 to 2.1.70). `SendMessage` resumes agents in later versions. */
export function agentResumedBy(part: JsonObject, memory: ClaudeMemory): Agent | undefined {
  const agentId = isAgentCall(part) ? asString(asObject(part.input).resume) : undefined
  return agentId === undefined ? undefined : findAgent(callOfAgent(memory, agentId) ?? '', memory)
}

/** The message that holds a call. */
interface CallPlace {
  readonly conversationId: string
  readonly messageId: string
  readonly timestamp?: string | undefined
}

/** Registers the agent that a content block calls. */
export function registerCalledAgent(
  part: JsonObject,
  { conversationId: parent, messageId, timestamp }: CallPlace,
  context: ClaudeContext,
): void {
  const toolUseId = toolUseIdOf(part)
  if (isCopiedCall(toolUseId, parent, context)) return
  const input = asObject(part.input)
  const facts = omitUndefined({
    parent,
    prompt: asString(input.prompt),
    name: asString(input.subagent_type),
    description: asString(input.description),
    messageId,
    timestamp,
  })
  registerAgent(toolUseId, facts, context)
}
