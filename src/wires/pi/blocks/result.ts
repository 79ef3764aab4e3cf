import { withChanges } from '../../../core/json/fields.ts'
import { asFiniteNumber, asObject, asString, isString } from '../../../core/json/values.ts'
import { subagentBlockId, toolResultBlockId } from '../../../core/state/block.ts'
import { MAIN } from '../../../core/state/session.ts'
import { exitCodeOf, fileChangesOf, todosOf } from '../../../programs/pi/tool-result.ts'
import type { Memory, SessionOutput } from '../../../reading/context.ts'
import type { SessionLookups } from '../../../reading/lookups.ts'
import { hasResult, resultBlock, show, statusOf } from '../../kit/blocks.ts'
import { withdrawRequests } from '../../kit/requests.ts'
import { callOf } from '../../kit/reused-ids.ts'
import { completeNotifiedAgents, updateAgents } from '../agents.ts'
import { type CallResult, type Line, type PiMessage, readOutput, type ToolCall, textOf } from '../messages.ts'
import type { PiContext } from '../notes.ts'
import { showCall } from './reply.ts'

/** Translates the message with a call's result. */
export function translateResult(conversationId: string, { raw, time }: PiMessage, context: PiContext): void {
  if (!isString(raw.toolCallId)) return
  const toolUseId = callOf(conversationId, raw.toolCallId, context)
  if (context.state.isAbandoned(toolResultBlockId(toolUseId))) return
  const toolName = asString(raw.toolName) ?? ''
  const isError = raw.isError === true
  showResult({ conversationId, toolUseId, toolName, raw, isError, isFinal: true, time }, context)
}

/** Translates the live lines about a tool that runs. The inner calls of a script are part of its result. */
export function translateExecution({ type, raw }: Line, context: PiContext): void {
  if (!isString(raw.toolCallId) || raw.parentToolCallId !== undefined) return
  const toolUseId = callOf(MAIN, raw.toolCallId, context)
  const toolName = asString(raw.toolName) ?? ''
  if (raw.args !== undefined) showMissedCall({ toolUseId, toolName, input: raw.args }, context)
  if (type === 'tool_execution_start') return startTool(toolUseId, context)
  const isFinal = type === 'tool_execution_end'
  const result = asObject(isFinal ? raw.result : raw.partialResult)
  const isError = raw.isError === true
  showResult({ conversationId: MAIN, toolUseId, toolName, raw: result, isError, isFinal }, context)
}

/** Shows a call that a reader has missed, because it joined late. */
function showMissedCall(call: ToolCall, output: SessionOutput): void {
  const { toolUseId } = call
  const ids = [toolUseId, subagentBlockId(toolUseId), toolResultBlockId(toolUseId)]
  if (ids.every((id) => !output.state.findBlock(MAIN, id) && !output.state.isAbandoned(id)))
    showCall({ conversationId: MAIN }, call, output)
}

/** Remembers the tool that runs: a request of an extension does not name its call. */
function startTool(toolUseId: string, memory: Memory<PiContext>): void {
  if (!memory.state.isAbandoned(toolUseId)) memory.notes.remember({ startedCall: toolUseId })
}

function showResult(result: CallResult, context: PiContext): void {
  const { conversationId, toolUseId, raw, isFinal } = result
  // A tool that works on shows that a turn which was cut goes on.
  if (!isFinal && context.state.isOpen(conversationId, toolUseId))
    context.continueConversation(conversationId)
  const isAgent = updateAgents(result, context)
  if (isFinal && context.notes.values.startedCall === toolUseId)
    context.notes.remember({ startedCall: undefined })
  if (isFinal) withdrawRequests(conversationId, toolUseId, context)
  if (isAgent) return
  if (isFinal) endCall(result, context)
  const isKnown = hasResult(conversationId, toolUseId, context.state)
  if (isKnown && (!isFinal || result.time === undefined)) return
  if (!isFinal && (raw.content === undefined || textOf(raw.content) === '')) return
  show(conversationId, blockOfResult(result, context.state), context)
  if (!isFinal) return
  completeNotifiedAgents(textOf(raw.content), context)
  const todos = todosOf(asObject(raw.details))
  if (todos) context.emit({ type: 'todos:updated', conversationId, todos })
}

/** Ends the block of a call. A reader that joined late has not seen the call. */
function endCall({ conversationId, toolUseId, isError }: CallResult, output: SessionOutput): void {
  const call = output.state.findBlock(conversationId, toolUseId)
  if (call?.type !== 'tool_use') return
  const { inputText: _, ...block } = withChanges(call, { status: statusOf(isError) })
  show(conversationId, block, output)
}

function blockOfResult(
  { conversationId, toolUseId, toolName, raw, isError, isFinal, time: timestamp }: CallResult,
  state: SessionLookups,
) {
  const output = readOutput(raw.content)
  if (!isFinal) return resultBlock({ toolUseId, output, isError }, 'pending')
  const call = state.findBlock(conversationId, toolUseId)
  const input = asObject(call?.type === 'tool_use' ? call.input : undefined)
  const answered = { toolName, input, details: asObject(raw.details), isError, text: textOf(raw.content) }
  const known = state.findBlock(conversationId, toolResultBlockId(toolUseId))
  const durationMs =
    asFiniteNumber(raw.durationMs) ?? (known && 'durationMs' in known ? known.durationMs : undefined)
  const exitCode = exitCodeOf(answered)
  const changes = fileChangesOf(answered, state.facts.cwd)
  return resultBlock({ toolUseId, output, isError, exitCode, changes, durationMs, timestamp })
}
