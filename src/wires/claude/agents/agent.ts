import type { AllowUndefined, Changes } from '../../../core/json/fields.ts'
import { omitUndefined } from '../../../core/json/fields.ts'
import { asString, type JsonObject } from '../../../core/json/values.ts'
import { type ConversationBlock, isPrompt, lastText, subagentBlockId } from '../../../core/state/block.ts'
import { MAIN } from '../../../core/state/session.ts'
import { hasEnded, isFinal } from '../../../core/state/subagent.ts'
import { type AgentState, isAnnounced, type SessionLookups } from '../../../reading/lookups.ts'
import { blockOfCall } from '../blocks/model/message-blocks.ts'
import type { AgentNote, ClaudeContext, ClaudeMemory } from '../notes.ts'

/** An agent that a message has named: the facts in the state, and the notes on it. */
export interface Agent extends AllowUndefined<AgentNote> {
  readonly toolUseId: string
  readonly hasEnded: boolean
}

/** Returns the agent of a call. One that a stream has only announced is none yet. */
export function findAgent(toolUseId: string, memory: ClaudeMemory): Agent | undefined {
  const known = factsOf(toolUseId, memory.state)
  const facts = known && isRegistered(known, memory) ? known : undefined
  const note = memory.notes.values.agents.get(toolUseId)
  if (!facts) return note && { ...note, toolUseId, hasEnded: false }
  if (isTakenBack(facts, memory.state)) return undefined
  return agentOf(facts, note ?? NO_NOTE)
}

const NO_NOTE: AgentNote = {}

/** Returns the agent of a call as the state has it. */
export function factsOf(toolUseId: string, state: SessionLookups): AgentState | undefined {
  const facts = state.findAgent(toolUseId)
  return facts?.toolUseId === toolUseId ? facts : undefined
}

function agentOf(facts: AgentState, note: AgentNote): Required<Agent> {
  const { toolUseId, agentId = note.agentId, runId } = facts
  const { isResumed } = note
  // Each line of an agent asks for it, and a literal of one shape is the cheapest object.
  return {
    toolUseId,
    hasEnded: hasEnded(facts),
    agentId,
    parent: facts.parentConversationId ?? note.parent,
    prompt: facts.prompt ?? note.prompt,
    name: facts.name ?? note.name,
    description: facts.description ?? note.description,
    phase: facts.phase ?? note.phase,
    launchedBy: facts.launchedBy ?? note.launchedBy,
    runId: isResumed ? note.runId : (runId ?? note.runId),
    resumedRunId: isResumed ? (runId ?? note.resumedRunId) : note.resumedRunId,
    isResumed,
    messageId: note.messageId,
    timestamp: note.timestamp,
    workflowRun: note.workflowRun,
    parentFromMeta: note.parentFromMeta,
    hasCall: note.hasCall,
    isBackground: note.isBackground,
    isLaunched: note.isLaunched,
    hasUnknownRun: note.hasUnknownRun,
    storedEnd: note.storedEnd,
    isEndProvisional: note.isEndProvisional,
  }
}

/** Whether the source has read the call of the agent, and no result of it so far. */
export function hasOpenCall({ toolUseId, isLaunched }: Agent, memory: ClaudeMemory): boolean {
  const facts = factsOf(toolUseId, memory.state)
  if (isLaunched === true || !facts || !isRegistered(facts, memory)) return false
  return blockOfCall(toolUseId, facts.parentConversationId ?? MAIN, memory) !== undefined
}

/** Whether a message has named the agent. The state also has agents that a stream has announced, and placeholders for parents. */
function isRegistered(facts: AgentState, memory: ClaudeMemory): boolean {
  if (isAnnounced(facts)) return false
  return (
    facts.parentConversationId !== undefined || memory.notes.values.agents.get(facts.toolUseId) !== undefined
  )
}

/** Whether the program took the call back before the agent started. The lines of an agent with the same prompt belong to another call. */
function isTakenBack(facts: AgentState, state: SessionLookups): boolean {
  const { toolUseId, agentId, status, parentConversationId } = facts
  if (agentId !== undefined || !isFinal(status) || parentConversationId === undefined) return false
  return state.findBlock(parentConversationId, subagentBlockId(toolUseId)) === undefined
}

/** Returns the agents that pass a test, in the order of their spawns. Those without a conversation come last. */
export function agentsWith(isWanted: (agent: Agent) => boolean, memory: ClaudeMemory): readonly Agent[] {
  return agentsOf(memory.state.agents(), memory).filter(isWanted)
}

/** Returns the agents that have not ended, in the order of their spawns. Those without a conversation come last. */
export function runningAgents(memory: ClaudeMemory): readonly Agent[] {
  return agentsOf(memory.state.openAgents(), memory).filter(({ hasEnded }) => !hasEnded)
}

function agentsOf(placed: readonly AgentState[], memory: ClaudeMemory): readonly Agent[] {
  const { unplacedAgents } = memory.notes.values
  const unplaced = unplacedAgents.entries().map(([toolUseId]) => toolUseId)
  const ids = new Set([...placed.map(({ toolUseId }) => toolUseId), ...unplaced])
  return [...ids].flatMap((toolUseId) => findAgent(toolUseId, memory) ?? [])
}

/** Whether an agent has not ended. */
export function hasRunningAgents(memory: ClaudeMemory): boolean {
  if (memory.state.firstOpenAgent((facts) => isRegistered(facts, memory))) return true
  return !memory.notes.values.unplacedAgents.isEmpty && runningAgents(memory).length > 0
}

/**
 * Changes the note on an agent. A note that says nothing beyond the state leaves. That of an agent without a parent
 * says that a message has named it.
 */
export function noteAgent(toolUseId: string, changes: Changes<AgentNote>, memory: ClaudeMemory): void {
  const note = omitUndefined({ ...memory.notes.values.agents.get(toolUseId), ...changes })
  const isPlaced = factsOf(toolUseId, memory.state)?.parentConversationId !== undefined
  if (isPlaced && Object.keys(note).length === 0) return forgetAgent(toolUseId, memory.notes)
  memory.notes.setEntry('agents', toolUseId, note)
  if (isPlaced) memory.notes.removeEntry('unplacedAgents', toolUseId)
  else memory.notes.setEntry('unplacedAgents', toolUseId, true)
}

/** Forgets the notes on an agent. */
export function forgetAgent(toolUseId: string, notes: ClaudeContext['notes']): void {
  notes.removeEntry('agents', toolUseId)
  notes.removeEntry('unplacedAgents', toolUseId)
}

/** Returns the agent's last text. An agent's report is its last text. */
export function lastTextOf(
  { toolUseId }: Pick<Agent, 'toolUseId'>,
  state: SessionLookups,
): string | undefined {
  return lastText(state.blocksOf(toolUseId))
}

/** Whether the last line of the agent's run reports that its request to the model failed. */
export function hasFailedRequest({ toolUseId }: Agent, state: SessionLookups): boolean {
  const isSign = (block: ConversationBlock) =>
    block.type === 'error' || block.type === 'assistant_text' || isPrompt(block)
  return state.blocksOf(toolUseId).findLast(isSign)?.type === 'error'
}

/** Whether no result of a call reports the agent's end: the end of its turn is that of its run, and its next message begins another one. */
export function endsWithTurn({ agentId, parent, hasCall, launchedBy }: Agent): boolean {
  return launchedBy !== undefined || isTeammateId(agentId) || (parent === undefined && hasCall !== true)
}

/** Returns the name in a teammate's id: `<name>@<team>`, or `a<name>-<hash>` if one process runs all of the team. */
export function teammateName(agentId: string): string | undefined {
  const [, beforeTeam, beforeHash] = /^(?:([^@]+)@.*|a(.+)-[0-9a-f]{16})$/.exec(agentId) ?? []
  return beforeTeam ?? beforeHash
}

/** Whether the id is a teammate's. */
export function isTeammateId(agentId: string | undefined): boolean {
  return agentId !== undefined && teammateName(agentId) !== undefined
}

/** Returns the id of the call that started the agent, or the agent's own id if a line has been read under that. */
export function callOfAgent(memory: ClaudeMemory, agentId: string): string | undefined {
  const known = memory.notes.values.toolUseIds.get(agentId)
  const facts = known === undefined ? memory.state.findAgent(agentId) : undefined
  return facts && isRegistered(facts, memory) ? facts.toolUseId : (known ?? callOfTeammate(agentId, memory))
}

/** The file of a teammate has another id than the result of its call, in versions whose results name the team. */
function callOfTeammate(agentId: string, memory: ClaudeMemory): string | undefined {
  const name = agentId.includes('@') ? undefined : teammateName(agentId)
  if (name === undefined) return undefined
  return agentsWith((agent) => agent.agentId?.startsWith(`${name}@`) === true, memory).at(-1)?.toolUseId
}

/** Returns an agent's conversation: the id of its call, or the agent's own id while the call is unknown. */
export function conversationOfAgent(memory: ClaudeMemory, agentId: string): string {
  return callOfAgent(memory, agentId) ?? agentId
}

/** Returns the agent of a task event. The task's id is the agent's id. If that is unknown, the call's id names the agent. */
export function agentOfTask({ task_id, tool_use_id }: JsonObject, memory: ClaudeMemory): Agent | undefined {
  return findAgent(callOfAgent(memory, asString(task_id) ?? '') ?? asString(tool_use_id) ?? '', memory)
}

/**
 * Returns the conversation that holds an agent's call: main for an agent of the first level, and the named agent's
 * for a nested one (2.1.330). Older versions do not name that agent, but the call itself is in a known conversation.
 */
export function parentOfAgent(
  { parentAgentId, depth }: { readonly parentAgentId: unknown; readonly depth: unknown },
  memory: ClaudeMemory,
): string | undefined {
  if (typeof parentAgentId === 'string') return conversationOfAgent(memory, parentAgentId)
  return depth === 1 ? MAIN : undefined
}

/**
 * Whether a call, or its result, is a copy. The conversation of a forked agent begins with a copy of the message that
 * calls the agent, and that call belongs to the parent.
 */
export function isCopiedCall(toolUseId: string, conversationId: string, memory: ClaudeMemory): boolean {
  const parent = findAgent(toolUseId, memory)?.parent
  if (toolUseId === conversationId) return true
  return parent !== undefined && conversationOfAgent(memory, parent) !== conversationId
}
