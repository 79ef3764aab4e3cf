import { omitUndefined } from '../../../core/json/fields.ts'
import { isoTime } from '../../../core/json/iso-time.ts'
import { asObject, asString, isString, type JsonObject } from '../../../core/json/values.ts'
import { toolResultBlockId } from '../../../core/state/block.ts'
import { MAIN } from '../../../core/state/session.ts'
import { isFinal } from '../../../core/state/subagent.ts'
import type { AgentState } from '../../../reading/lookups.ts'
import type { AgUiContext, AgUiMemory } from '../context.ts'
import { AGENT_CALL, FAILED_AGENT, ownId } from '../ids.ts'
import { outputText } from '../message.ts'
import { type CallResult, readOutput } from '../messages/content.ts'
import { addAgentFacts, announcedBlock, callFacts } from './agent-call.ts'

/** Starts an agent, or a further run of a known one. */
export function startAgent(event: JsonObject, context: AgUiContext): void {
  const id = asString(event.subagentRunId)
  if (!id || id === MAIN) return context.reportUnknown('unknown-message', 'SUBAGENT_STARTED')
  const { toolUseId, parentId } = placeOfAgent(id, event, context)
  const known = context.state.agentOfCall(toolUseId)
  const isRepeated = known !== undefined && isRepeatedStart(known, context.notes.values)
  const hasEnded = context.state.hasEnded(toolUseId)
  if (!isRepeated) context.noteWork()
  const announced = known && announcedBlock(known, context.state)
  if (announced) context.notes.setEntry('agentArguments', toolUseId, announced.inputText)
  const call = takeCall(toolUseId, parentId, context)
  const agentId = toolUseId === id ? context.notes.values.agentIds.get(id) : id
  context.emit({
    type: 'subagent:spawned',
    conversationId: parentId,
    toolUseId,
    prompt: known?.prompt ?? call?.prompt ?? '',
    subagentType: nameOf(event) ?? call?.subagentType,
    description: asString(event.description) ?? call?.description,
    agentId: known?.agentId ?? agentId,
    timestamp: isoTime(event.timestamp),
  })
  context.notes.removeEntry('agentIds', toolUseId)
  if (isRepeated) return
  if (hasEnded) context.emit({ type: 'subagent:resumed', toolUseId })
  else context.continueConversation(toolUseId)
  context.notes.removeEntry('suspended', toolUseId)
  context.notes.setEntry('starts', toolUseId, context.notes.values.run?.id ?? '')
}

/** The sink writes this name for an agent without one. */
function nameOf({ name }: JsonObject): string | undefined {
  return name === AGENT_CALL ? undefined : asString(name)
}

/** An agent starts at most once in a run, so a further start comes again. */
function isRepeatedStart(
  { toolUseId, status, parentConversationId }: AgentState,
  notes: AgUiContext['notes']['values'],
): boolean {
  if (!isFinal(status)) return false
  const { run, starts } = notes
  const start = starts.get(toolUseId)
  if (run?.isRepeated || start === run?.id) return true
  // The stream has shown the agent without its start.
  return start === undefined && parentConversationId === undefined
}

interface AgentPlace {
  readonly toolUseId: string
  readonly parentId: string
}

/** The id of an agent is that of its call. Without a call, or as a further agent of a call, it is the id of its run. */
function placeOfAgent(runId: string, event: JsonObject, memory: AgUiMemory): AgentPlace {
  const known = memory.state.findAgent(runId)
  const parentId = known?.parentConversationId ?? parentOf(known?.toolUseId ?? runId, event, memory)
  const callId = asString(event.parentToolCallId)
  if (known && !(callId && isUnannounced(known))) return { toolUseId: known.toolUseId, parentId }
  const toolUseId = callId ? ownId(parentId, callId) : runId
  return { toolUseId: isTaken({ toolUseId, parentId }, memory) ? runId : toolUseId, parentId }
}

/** Whether the agent has worked before its start, which names its call. */
function isUnannounced({ toolUseId, agentId, parentConversationId }: AgentState): boolean {
  return parentConversationId === undefined && (agentId ?? toolUseId) === toolUseId
}

/** Whether the call has another agent, or the id is that of a call elsewhere. */
function isTaken({ toolUseId, parentId }: AgentPlace, memory: AgUiMemory): boolean {
  const known = memory.state.agentOfCall(toolUseId)
  if (!known) return toolUseId === MAIN
  const { agentId, parentConversationId = parentId } = known
  const hasStarted = agentId !== undefined || memory.notes.values.starts.get(toolUseId) !== undefined
  return hasStarted || parentConversationId !== parentId
}

/** Returns the parent: the named one, the owner of the call, or the one in the id of a call that the sink wrote. */
function parentOf(
  runId: string,
  { parentSubagentRunId, parentToolCallId }: JsonObject,
  memory: AgUiMemory,
): string {
  const parent = asString(parentSubagentRunId)
  if (parent) return memory.conversationOf({ subagentRunId: parent })
  const callId = asString(parentToolCallId) ?? ''
  const owner = memory.placeOf({}, 'call', callId).conversationId
  if (owner !== MAIN) return owner
  return callId.endsWith(`/${runId}`) ? callId.slice(0, -runId.length - 1) || MAIN : MAIN
}

/** Removes the call of an agent that the stream showed as a tool. Returns the facts of its arguments. */
function takeCall(toolUseId: string, conversationId: string, context: AgUiContext) {
  const call = context.find({ conversationId, id: toolUseId }, 'call')
  if (!call) return undefined
  context.removeBlock(call)
  const result = context.find({ conversationId, id: toolResultBlockId(toolUseId) }, 'result')
  if (result) context.removeBlock(result)
  if (call.inputText === undefined) return callFacts(call.input)
  context.notes.setEntry('agentArguments', toolUseId, call.inputText)
  return undefined
}

/** Ends the run of an agent. A suspended agent goes on in a later run. */
export function endAgent(event: JsonObject, context: AgUiContext): void {
  const id = context.conversationOf(event)
  if (id === MAIN) return context.reportUnknown('unknown-message', asString(event.type) ?? '')
  if (context.state.hasEnded(id)) return
  if (asObject(event.outcome).type === 'suspended') return context.notes.setEntry('suspended', id, true)
  if (event.type === 'SUBAGENT_ERROR') {
    const message = asString(event.message)
    return completeAgent(
      id,
      { status: 'error', output: message === FAILED_AGENT ? undefined : message },
      context,
    )
  }
  const { result } = event
  const output = result === undefined || isString(result) ? result : JSON.stringify(result)
  completeAgent(id, { status: 'completed', output }, context)
}

/** Adds the output of an agent. The output ends an agent that the stream does not report in another way. */
export function addOutput(
  agent: AgentState,
  { content, isError, durationMs }: CallResult,
  context: AgUiContext,
): void {
  const { toolUseId } = agent
  // The sink writes an empty result for an agent without an output.
  const output = content === '' ? undefined : outputText(readOutput(content))
  const facts = omitUndefined({ output, durationMs })
  if (context.state.hasEnded(toolUseId))
    completeAgent(toolUseId, { status: agent.status === 'error' ? 'error' : 'completed', ...facts }, context)
  else if (context.notes.values.starts.get(toolUseId) === undefined)
    completeAgent(toolUseId, { status: isError ? 'error' : 'completed', ...facts }, context)
  else addAgentFacts(agent, facts, context)
}

/** The end of an agent's run. */
interface AgentEnd {
  readonly status: 'completed' | 'error'
  readonly output?: string | undefined
  readonly durationMs?: number | undefined
}

/** Ends the run of an agent. Its earlier output stays, if the end brings none. */
export function completeAgent(toolUseId: string, end: AgentEnd, context: AgUiContext): void {
  const {
    agentId = context.notes.values.agentIds.get(toolUseId),
    output,
    durationMs,
  } = context.state.agentOfCall(toolUseId) ?? {}
  context.emit({
    type: 'subagent:completed',
    toolUseId,
    agentId,
    status: end.status,
    output: end.output ?? output,
    durationMs: end.durationMs ?? durationMs,
  })
  context.notes.removeEntry('agentIds', toolUseId)
  context.notes.removeEntry('suspended', toolUseId)
  context.notes.removeEntry('repeats', toolUseId)
}

/** Ends the agents that still run when their run ends. Those that go on later are suspended. */
export function completeAgents(status: AgentEnd['status'], context: AgUiContext): void {
  const running = context.state.openAgents().filter((agent) => isInRun(agent, context))
  for (const { toolUseId } of running) completeAgent(toolUseId, { status }, context)
}

function isInRun(agent: AgentState, memory: AgUiMemory): boolean {
  const { toolUseId, status } = agent
  if (status === 'pending') return false
  return !announcedBlock(agent, memory.state) && !memory.notes.values.suspended.get(toolUseId)
}
