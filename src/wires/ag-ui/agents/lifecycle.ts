import { compositeKey } from '../../../json/composite-key.ts'
import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asObject, asString, isString, type JsonObject } from '../../../json/values.ts'
import { isoTime } from '../../../session/time.ts'
import { toolResultBlockId } from '../../../state/block.ts'
import { MAIN } from '../../../state/session.ts'
import type { AgUiContext } from '../context.ts'
import { AGENT_CALL, FAILED_AGENT, ownId } from '../ids.ts'
import type { KnownAgent } from '../memory.ts'
import { callFacts } from './agent-call.ts'
import { completeAgent } from './run.ts'

/** Starts an agent, or a further run of a known one. */
export function startAgent(event: JsonObject, context: AgUiContext): void {
  const runId = asString(event.subagentRunId)
  if (!runId || runId === MAIN) return context.reportUnknown('unknown-message', 'SUBAGENT_STARTED')
  const known = context.memory.agentRuns.get(runId)
  const { toolUseId, parentId } =
    known === undefined ? newAgent(runId, event, context) : placeOfKnown(known, event, context)
  const before = context.agent(toolUseId)
  const isRepeated = isRepeatedStart(before, context)
  if (!isRepeated) context.noteWork()
  const call = takeCall(toolUseId, parentId, context)
  const agentId = toolUseId === runId ? context.memory.agentIds.get(runId) : runId
  const prompt = before?.prompt ?? call?.prompt ?? ''
  const agent = context.updateAgent(toolUseId, { parentId, agentId: before?.agentId ?? agentId, prompt })
  context.setEntry('agentRuns', runId, toolUseId)
  context.emit(
    omitUndefined({
      type: 'subagent:spawned',
      conversationId: parentId,
      toolUseId,
      prompt,
      subagentType: nameOf(event) ?? call?.subagentType,
      description: asString(event.description) ?? call?.description,
      agentId: agent.agentId,
      timestamp: isoTime(event.timestamp),
    }),
  )
  if (isRepeated) return
  if (before?.status === 'ended') context.emit({ type: 'subagent:resumed', toolUseId })
  context.updateAgent(toolUseId, { status: 'running', startedIn: context.memory.run?.id ?? '' })
}

/** The sink writes this name for an agent without one. */
function nameOf({ name }: JsonObject): string | undefined {
  return name === AGENT_CALL ? undefined : asString(name)
}

/** An agent starts at most once in a run, so a further start comes again. */
function isRepeatedStart(agent: KnownAgent | undefined, { memory }: AgUiContext): boolean {
  if (agent?.status !== 'ended') return false
  return memory.run?.isRepeated === true || agent.startedIn === memory.run?.id
}

interface AgentPlace {
  readonly toolUseId: string
  readonly parentId: string
}

/** The id of an agent is that of its call. Without a call, or as a further agent of a call, it is the id of its run. */
function newAgent(runId: string, event: JsonObject, context: AgUiContext): AgentPlace {
  const callId = asString(event.parentToolCallId)
  const parentId = parentOf(runId, event, context)
  if (!callId) return { toolUseId: runId, parentId }
  const toolUseId = ownId(parentId, callId)
  const known = context.agent(toolUseId)
  const isTaken =
    toolUseId === MAIN ||
    (known !== undefined && (known.startedIn !== undefined || (known.parentId ?? parentId) !== parentId))
  return { toolUseId: isTaken ? runId : toolUseId, parentId }
}

/** The stream may lack the first start of an agent, which named its parent. */
function placeOfKnown(toolUseId: string, event: JsonObject, context: AgUiContext): AgentPlace {
  return { toolUseId, parentId: context.agent(toolUseId)?.parentId ?? parentOf(toolUseId, event, context) }
}

/** Returns the parent: the named one, the owner of the call, or the one in the id of a call that the sink wrote. */
function parentOf(
  runId: string,
  { parentSubagentRunId, parentToolCallId }: JsonObject,
  context: AgUiContext,
): string {
  const { agentRuns, owners } = context.memory
  const parent = asString(parentSubagentRunId)
  if (parent) return agentRuns.get(parent) ?? parent
  const callId = asString(parentToolCallId) ?? ''
  const owner = owners.get(compositeKey('call', callId))
  if (owner !== undefined) return owner
  return callId.endsWith(`/${runId}`) ? callId.slice(0, -runId.length - 1) || MAIN : MAIN
}

/** Removes the call of an agent that the stream showed as a tool. Returns the facts of its arguments. */
function takeCall(toolUseId: string, conversationId: string, context: AgUiContext) {
  const call = context.find({ conversationId, id: toolUseId }, 'call')
  if (call?.block.type !== 'tool_use') return undefined
  context.forgetBlock(call.block)
  const result = context.find({ conversationId, id: toolResultBlockId(toolUseId) }, 'result')
  if (result) context.forgetBlock(result.block)
  const { isOpen, args } = call
  context.updateAgent(toolUseId, { isOpen, args })
  return callFacts(args)
}

/** Ends the run of an agent. A suspended agent goes on in a later run. */
export function endAgent(event: JsonObject, context: AgUiContext): void {
  const agent = context.agent(context.conversationOf(event))
  if (!agent) return context.reportUnknown('unknown-message', asString(event.type) ?? '')
  if (agent.status === 'ended') return
  if (asObject(event.outcome).type === 'suspended') {
    context.updateAgent(agent.id, { status: 'suspended' })
    return
  }
  if (event.type === 'SUBAGENT_ERROR') {
    const message = asString(event.message)
    return completeAgent(
      agent,
      { status: 'error', output: message === FAILED_AGENT ? undefined : message },
      context,
    )
  }
  const { result } = event
  const output = result === undefined || isString(result) ? result : JSON.stringify(result)
  completeAgent(agent, { status: 'completed', output }, context)
}
