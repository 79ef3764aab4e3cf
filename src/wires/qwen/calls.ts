import { asObject, isObject, isString } from '../../core/json/values.ts'
import { MAIN } from '../../core/state/session.ts'
import { readTodos } from '../../core/state/todo.ts'
import { qwen } from '../../programs/qwen/program.ts'
import { exitCodeIn, fileChangesOf, isRefusal } from '../../programs/qwen/tool-result.ts'
import { callBlock, hasResult, resultBlock, statusOf } from '../kit/blocks.ts'
import { endCallOfAgent, startAgent } from './agents.ts'
import type { Call, CallResult } from './messages.ts'
import type { QwenContext } from './notes.ts'
import { currentMessage, moveTo } from './place.ts'
import { closeRequest, showQuestion } from './requests.ts'
import { showWork } from './text.ts'

/** Shows a call. A call that starts an agent has no block but the agent's. */
export function showCall(conversationId: string, asked: Call, context: QwenContext): void {
  const call = innerCall(asked)
  const { id, name: toolName, input, time: timestamp } = call
  const messageId = currentMessage(conversationId, context)
  moveTo(conversationId, id, context)
  if (qwen.tools.agent.includes(toolName)) {
    if (conversationId === MAIN) context.turn.start()
    return startAgent(conversationId, { ...call, messageId }, context)
  }
  if (context.state.findBlock(conversationId, id)) return
  showWork(conversationId, callBlock({ toolName, toolUseId: id, input, messageId, timestamp }), context)
}

/** Returns the call of a tool that the program hides behind another one. */
function innerCall(call: Call): Call {
  const { name, arguments: input } = asObject(call.input)
  return call.name === HIDING_TOOL && isString(name) && isObject(input) ? { ...call, name, input } : call
}

const HIDING_TOOL = 'tool_call'

/** Shows the result of a call, which ends it. Only a call that succeeded changes files and the plan. */
export function showResult(conversationId: string, result: CallResult, context: QwenContext): void {
  const { id: toolUseId, output, isError, record, durationMs, time: timestamp } = result
  const known = context.state.findBlock(conversationId, toolUseId)
  const call = known?.type === 'tool_use' ? known : undefined
  // A call of an agent may have the id of the call that started the agent.
  if (!call && context.state.agentOfCall(toolUseId)) return endCallOfAgent(result, context)
  if (hasResult(conversationId, toolUseId, context.state)) return
  const toolName = call?.toolName ?? result.toolName ?? ''
  if (conversationId === MAIN) context.turn.start()
  if (call) {
    if (isQuestion(toolName)) showQuestion(conversationId, call, result, context)
    closeRequest(conversationId, toolUseId, isError && isRefusal(output), context)
    context.upsert(conversationId, { ...call, status: statusOf(isError) })
  }
  const answered = { call: { toolName, input: call?.input }, record, output }
  // The line of a call may be broken. Then only the record says what has changed.
  const changes = isError || !(call ?? record.fileDiff) ? undefined : fileChangesOf(answered)
  const exitCode = exitCodeIn(toolName, record, output)
  const facts = { toolUseId, output, isError, exitCode, changes, durationMs, timestamp }
  context.upsert(conversationId, resultBlock(facts))
  if (call && !isError && qwen.tools.todo?.includes(toolName))
    context.emit({ type: 'todos:updated', conversationId, todos: readTodos(asObject(call.input).todos) })
}

function isQuestion(toolName: string): boolean {
  return qwen.tools.question?.includes(toolName) === true
}
