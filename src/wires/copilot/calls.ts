import { withChanges } from '../../core/json/fields.ts'
import { asArray, asFiniteNumber, asObject, asString, type JsonObject } from '../../core/json/values.ts'
import { subagentBlockId, toolResultBlockId } from '../../core/state/block.ts'
import { MAIN } from '../../core/state/session.ts'
import { todosAfterCall } from '../../programs/copilot/sql-todos.ts'
import { exitCodeIn, fileChangesOf } from '../../programs/copilot/tool-result.ts'
import type { SessionOutput } from '../../reading/context.ts'
import type { SessionLookups } from '../../reading/lookups.ts'
import { callBlock, hasResult, resultBlock, statusOf } from '../kit/blocks.ts'
import { announceAgent, endAgentCall, isAgentTool } from './agents.ts'
import type { Data } from './messages.ts'
import type { CopilotContext } from './notes.ts'
import { type EventPlace, isOfEndedTurn, isRepeatedDelta, noteDelta, showWork } from './turn.ts'

/** A call of the model with its whole input. A free-form tool, such as `apply_patch`, has a text as its input. */
export interface Call {
  readonly toolUseId: string
  readonly toolName: string
  readonly input: unknown
  readonly messageId?: string
}

/** Whether the conversation has the call with its whole input. */
export function isWholeCall(conversationId: string, toolUseId: string, state: SessionLookups): boolean {
  const block =
    state.findBlock(conversationId, toolUseId) ?? state.findBlock(conversationId, subagentBlockId(toolUseId))
  return (block?.type === 'tool_use' || block?.type === 'subagent') && block.inputText === undefined
}

/** Shows a call with its whole input. */
export function showCall(place: EventPlace, call: Call, output: SessionOutput): void {
  const { conversationId, event } = place
  const { toolUseId } = call
  if (isWholeCall(conversationId, toolUseId, output.state) || output.state.isAbandoned(toolUseId)) return
  if (isAgentTool(call.toolName)) return announceAgent(place, call, output)
  output.upsert(conversationId, callBlock({ ...call, timestamp: event.time }))
}

/** Shows a call that the person made. It is no pending one, which would start a turn: no model asked for it. */
export function showPersonCall(
  { conversationId, event }: EventPlace,
  { toolCallId: toolUseId, toolName, arguments: input = {} }: Data<'tool.user_requested'>,
  output: SessionOutput,
): void {
  if (isWholeCall(conversationId, toolUseId, output.state) || output.state.isAbandoned(toolUseId)) return
  const call = { toolName, toolUseId, input, requestedBy: 'person', timestamp: event.time } as const
  output.upsert(conversationId, callBlock(call, 'complete'))
}

/** Shows a call that starts. Its reply has shown it. */
export function startCall(
  place: EventPlace,
  { toolCallId: toolUseId, toolName, arguments: input = {} }: Data<'tool.execution_start'>,
  output: SessionOutput,
): void {
  if (isWholeCall(place.conversationId, toolUseId, output.state) || output.state.isAbandoned(toolUseId))
    return
  showWork(place, output)
  showCall(place, { toolUseId, toolName, input }, output)
}

/** Appends to the input of a call that the model is still writing. */
export function appendInput(
  place: EventPlace,
  { toolCallId: toolUseId, toolName, inputDelta: delta }: Data<'assistant.tool_call_delta'>,
  context: CopilotContext,
): void {
  const { conversationId, event } = place
  const isAgent = isAgentTool(toolName)
  const blockId = isAgent ? subagentBlockId(toolUseId) : toolUseId
  if (isWholeCall(conversationId, toolUseId, context.state) || isRepeatedDelta(place, context)) return
  noteDelta(place, context.notes)
  if (context.state.findBlock(conversationId, blockId))
    return context.emit({ type: 'block:delta', conversationId, blockId, delta })
  showWork(place, context)
  if (isAgent) return announceAgent(place, { toolUseId, input: {}, inputText: delta }, context)
  const call = { toolName, toolUseId, input: {}, inputText: delta, timestamp: event.time }
  context.upsert(conversationId, callBlock(call))
}

/** Shows the output of a command that runs. A message behind the end of the turn or the agent comes from before a stop. */
export function showOutput(
  place: EventPlace,
  { toolCallId: toolUseId, partialOutput: output }: Data<'tool.execution_partial_result'>,
  session: SessionOutput,
): void {
  const { conversationId } = place
  const id = toolResultBlockId(toolUseId)
  const known = session.state.findBlock(conversationId, id)
  const isSame = known?.type === 'tool_result' && known.output === output
  if (isSame || (known && !session.state.isOpen(conversationId, id))) return
  const isOver =
    conversationId === MAIN ? isOfEndedTurn(place, session.state) : session.state.hasEnded(conversationId)
  if (isOver || !session.state.isOpen(conversationId, toolUseId)) return
  session.upsert(conversationId, resultBlock({ toolUseId, output, isError: false }, 'pending'))
}

/** Shows the result of a call. That of an agent's call is the agent's report. */
export function endCall(
  { event, conversationId }: EventPlace,
  { toolCallId: toolUseId, success, result = {}, error = {}, ...data }: Data<'tool.execution_complete'>,
  context: CopilotContext,
): void {
  const isError = success === false
  const text = (isError ? asString(error.message) : undefined) ?? asString(result.content) ?? ''
  const block = context.state.findBlock(conversationId, toolUseId)
  const call = block?.type === 'tool_use' ? block : undefined
  // A call of an agent may have the id of the call that started the agent.
  if (!call && context.state.agentOfCall(toolUseId))
    return endAgentCall(toolUseId, { isError, report: text }, context)
  if (hasResult(conversationId, toolUseId, context.state) || context.state.isAbandoned(toolUseId)) return
  if (call) context.upsert(conversationId, withChanges(call, { status: statusOf(isError) }))
  const files = asArray(result.binaryResultsForLlm).map((each) =>
    withBytes(asObject(each), context.notes.values),
  )
  const output = files.length === 0 ? text : [{ type: 'text', text }, ...files]
  const exitCode = asFiniteNumber(asObject(data.shellExecution).exitCode) ?? exitCodeIn(text)
  const change = {
    toolName: call?.toolName,
    diff: asString(result.detailedContent),
    fileEdits: data.fileEdits,
  }
  const changes = isError ? undefined : fileChangesOf(change)
  const facts = { toolUseId, output, isError, exitCode, changes, timestamp: event.time }
  context.upsert(conversationId, resultBlock(facts))
  // All agents share the plan.
  const todos = call && !isError ? todosAfterCall(call, context.state.todosOf(MAIN) ?? []) : undefined
  if (todos) context.emit({ type: 'todos:updated', todos })
}

/** A stream has the bytes of an image in the result. A file has them once, under an id. */
function withBytes(file: JsonObject, notes: CopilotContext['notes']['values']): JsonObject {
  const { assetId, byteLength: _, ...facts } = file
  const asset = notes.assets.get(asString(assetId) ?? '')
  return asset ? { ...facts, ...asset } : file
}
