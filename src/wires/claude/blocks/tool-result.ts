import type { Mutable } from '../../../core/json/fields.ts'
import { omitUndefined } from '../../../core/json/fields.ts'
import { compositeKey } from '../../../core/json/lists.ts'
import { asFiniteNumber, asObject, asString, type JsonObject } from '../../../core/json/values.ts'
import { type BlockOf, toolResultBlockId } from '../../../core/state/block.ts'
import { MAIN } from '../../../core/state/session.ts'
import type { Todo } from '../../../core/state/todo.ts'
import { readAgentResult } from '../../../programs/claude-code/agent-result.ts'
import { fileChangesOf, recordedChanges } from '../../../programs/claude-code/file-changes.ts'
import type { AnsweredCall } from '../../../programs/reader.ts'
import type { SessionOutput } from '../../../reading/context.ts'
import { callOfAgent, findAgent, isCopiedCall, lastTextOf, noteAgent } from '../agents/agent.ts'
import { completeAgent, resumeAgent } from '../agents/agent-run.ts'
import { registerAgent } from '../agents/register-agent.ts'
import { completeReportedAgents } from '../agents/task-tools.ts'
import { resumeTeammate } from '../agents/teammate.ts'
import { registerRun } from '../agents/workflow.ts'
import type { ClaudeContext } from '../notes.ts'
import { answerRequest } from '../requests/answer.ts'
import { isTaskTool, type Task, tasksAfter, todoStatus } from '../task-list.ts'
import { type CallRef, contentOrText, waitingCall } from './calls.ts'
import { reportAgentTokens } from './usage.ts'

/** The place of a result, and the tool's own record of it. */
interface ResultPlace {
  readonly conversationId: string
  readonly timestamp?: string | undefined
  /** The record beside the text for the model. It has no fields if it is missing or only an error's text. */
  readonly toolUseResult: JsonObject
  /** The program's decision to run the call, if the line states it. */
  readonly decision?: JsonObject | undefined
}

/** Translates the result of a tool call. The result of an agent's call completes the agent, or reports that it was launched. */
export function translateToolResult(part: JsonObject, place: ResultPlace, context: ClaudeContext): void {
  const toolUseId = asString(part.tool_use_id) ?? ''
  const { conversationId, toolUseResult } = place
  answerRequest(part, place, context)
  const agent = findAgent(toolUseId, context)
  const call = waitingCall({ conversationId, toolUseId }, context)
  if (!call && (agent || isAgentRecord(toolUseResult))) {
    if (!isCopiedCall(toolUseId, conversationId, context))
      translateAgentResult(part, toolUseId, place, context)
    return
  }
  if (!call) rememberEarlyResult(part, place, context.notes)
  upsertToolResult(part, { toolUseId, call }, place, context)
  completeReportedAgents(part, toolUseResult, context)
  registerRun(part, toolUseResult, context)
  completeResumedAgent(part, toolUseId, place, context)
  resumeTeammate(toolUseId, toolUseResult, context)
  resumeAgentOfCall(toolUseId, asString(toolUseResult.resumedAgentId), context)
  // A tool that starts no agent may still have a conversation of its own.
  if (agent && !isCopiedCall(toolUseId, conversationId, context))
    completeAgent(agent, { status: part.is_error === true ? 'error' : 'completed' }, context)
}

/** Some files hold a result's line before that of its call. */
function rememberEarlyResult(
  part: JsonObject,
  { conversationId, ...place }: ResultPlace,
  notes: ClaudeContext['notes'],
): void {
  const key = compositeKey(conversationId, asString(part.tool_use_id) ?? '')
  notes.setEntry('earlyResults', key, omitUndefined({ part, ...place }))
}

/** Translates the result of a call again if it arrived before the call. An agent's call has no block for its result. */
export function translateEarlyResult({ conversationId, toolUseId }: CallRef, context: ClaudeContext): void {
  const { earlyResults } = context.notes.values
  if (earlyResults.isEmpty) return
  const key = compositeKey(conversationId, toolUseId)
  const early = earlyResults.get(key)
  if (!early) return
  context.notes.removeEntry('earlyResults', key)
  if (findAgent(toolUseId, context))
    context.emit({ type: 'block:removed', conversationId, blockId: toolResultBlockId(toolUseId) })
  const { part, ...place } = early
  translateToolResult(part, { conversationId, ...place }, context)
}

function isAgentRecord({ agentId, status }: JsonObject): boolean {
  return typeof agentId === 'string' && typeof status === 'string'
}

function translateAgentResult(
  part: JsonObject,
  toolUseId: string,
  { conversationId: parent, toolUseResult }: ResultPlace,
  context: ClaudeContext,
): void {
  const result = readAgentResult(part, toolUseResult)
  const { agentId, prompt, name, description } = result
  const { isError, isLaunch, report, text, durationMs } = result
  const facts = omitUndefined({ parent, agentId, prompt, name, description })
  const agent = registerAgent(toolUseId, facts, context)
  if (isLaunch ?? agent.isBackground === true)
    return noteAgent(toolUseId, { isBackground: undefined, isLaunched: true }, context)
  const status = isError ? 'error' : 'completed'
  const stated = report ?? text
  const output = stated ?? lastTextOf(agent, context.state)
  reportAgentTokens(toolUseId, { callId: toolUseId, record: toolUseResult, report: stated }, context)
  completeAgent(agent, { status, runId: agent.runId, callId: toolUseId, output, durationMs }, context)
}

/** Completes the agent that a call of `Task` has resumed. In the background, a notification will report the end. */
function completeResumedAgent(
  part: JsonObject,
  callId: string,
  { toolUseResult }: ResultPlace,
  context: ClaudeContext,
): void {
  const agent = findAgent(context.notes.values.resumeCalls.get(callId) ?? '', context)
  if (!agent) return
  const { isError, isLaunch, report, text, durationMs } = readAgentResult(part, toolUseResult)
  if (isLaunch === true) return
  const status = isError ? 'error' : 'completed'
  const stated = report ?? text
  reportAgentTokens(agent.toolUseId, { callId, record: toolUseResult, report: stated }, context)
  const output = stated ?? lastTextOf(agent, context.state)
  completeAgent(agent, { status, output, durationMs }, context)
}

function upsertToolResult(
  part: JsonObject,
  { toolUseId, call }: { readonly toolUseId: string; readonly call: BlockOf<'tool_use'> | undefined },
  { conversationId, timestamp, toolUseResult }: ResultPlace,
  context: ClaudeContext,
): void {
  const isError = part.is_error === true || asString(asObject(part.content).type)?.endsWith('error') === true
  const status = isError ? 'error' : 'complete'
  if (call) context.upsert(conversationId, { ...call, status })
  const durationMs = asFiniteNumber(toolUseResult.durationMs)
  const output = contentOrText(part.content)
  const answered = call && !isError ? { call, record: toolUseResult, output } : undefined
  const recorded = call || isError ? undefined : recordedChanges(toolUseResult)
  const changes = answered ? fileChangesOf(answered) : recorded
  const id = toolResultBlockId(toolUseId)
  const block: Mutable<BlockOf<'tool_result'>> = {
    id,
    type: 'tool_result',
    status,
    toolUseId,
    output,
    isError,
    conversationId,
  }
  if (durationMs !== undefined) block.durationMs = durationMs
  if (timestamp !== undefined) block.timestamp = timestamp
  if (changes !== undefined) block.changes = changes
  context.upsert(conversationId, block)
  if (answered) updateTodos(answered, context)
}

/** Resumes the agent that a call's result names. A stream reports the resume before the result, files only here. */
function resumeAgentOfCall(callId: string, agentId: string | undefined, context: ClaudeContext): void {
  if (agentId === undefined) return
  const agent = findAgent(callOfAgent(context, agentId) ?? '', context)
  if (agent && context.notes.values.resumeCalls.get(callId) === undefined)
    resumeAgent(agent, { callId }, context)
}

interface AnsweredBlock extends AnsweredCall {
  readonly call: BlockOf<'tool_use'>
}

const NO_TASKS: readonly Task[] = []

/** Updates the plan that a successful call has changed. */
function updateTodos(answered: AnsweredBlock, context: ClaudeContext): void {
  const { call } = answered
  if (call.toolName === 'TodoWrite') return replaceTodos(answered, context)
  if (!isTaskTool(call.toolName)) return
  const { tasks: before = NO_TASKS } = context.notes.values
  const tasks = tasksAfter(before, answered)
  if (tasks === before) return
  context.notes.remember({ tasks })
  // The program keeps one list for the session, in a folder with the session's id. Its agents share the list and its
  // numbers.
  const todos = tasks.map(({ text, status }) => ({ text, status }))
  context.emit({ type: 'todos:updated', conversationId: MAIN, todos })
}

/** Each agent has a list of its own. The result repeats the call's list, but not in the lines of most subagents. */
function replaceTodos({ call, record }: AnsweredBlock, output: SessionOutput): void {
  const todos = readTodos(record.newTodos) ?? readTodos(asObject(call.input).todos)
  if (todos) output.emit({ type: 'todos:updated', conversationId: call.conversationId, todos })
}

/** Returns the well-formed entries of a list, or undefined if the value is no list of todos. */
function readTodos(list: unknown): readonly Todo[] | undefined {
  if (!Array.isArray(list)) return undefined
  const todos = list.flatMap((entry) => readTodo(entry) ?? [])
  return todos.length === 0 && list.length > 0 ? undefined : todos
}

function readTodo(entry: unknown): Todo | undefined {
  const { content, status: stated } = asObject(entry)
  const text = asString(content)
  const status = todoStatus(stated)
  return text === undefined || status === undefined ? undefined : { text, status }
}
