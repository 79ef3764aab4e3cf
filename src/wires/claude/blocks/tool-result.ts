import { type Mutable, omitUndefined } from '../../../core/json/fields.ts'
import { compositeKey } from '../../../core/json/lists.ts'
import { asFiniteNumber, asObject, asString, type JsonObject, parseJson } from '../../../core/json/values.ts'
import { type BlockOf, toolResultBlockId } from '../../../core/state/block.ts'
import { MAIN } from '../../../core/state/session.ts'
import type { Todo } from '../../../core/state/todo.ts'
import { readAgentResult } from '../../../programs/claude-code/agent-result.ts'
import { fileChangesOf, recordedChanges } from '../../../programs/claude-code/file-changes.ts'
import { textsIn } from '../../../programs/claude-code/texts.ts'
import type { AnsweredCall } from '../../../programs/reader.ts'
import type { SessionOutput } from '../../../reading/context.ts'
import { statusOf } from '../../kit/blocks.ts'
import { agentOfTask, callOfAgent, findAgent, isCopiedCall, lastTextOf, noteAgent } from '../agents/agent.ts'
import { completeAgent, isFinalStatus, resumeAgent, runStatus } from '../agents/agent-run.ts'
import { registerAgent } from '../agents/register-agent.ts'
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
  const status = statusOf(isError)
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

/** The state of a background task, as the result of a tool reports it. */
interface TaskReport {
  readonly taskId: string
  readonly status: string
  readonly output?: string | undefined
}

/**
 * Completes the agents that the result of a tool reports as ended. `TaskOutput` (earlier `AgentOutputTool`) reads a
 * background task, and `TaskStop` stops one. Up to 2.0.76, nothing else in main's file may state an agent's end.
 */
function completeReportedAgents(part: JsonObject, toolUseResult: JsonObject, context: ClaudeContext): void {
  if (part.is_error === true) return
  const text = textsIn(part.content).join('\n')
  for (const { taskId, status, output } of reportsOf(toolUseResult, text)) {
    const agent = agentOfTask({ task_id: taskId }, context)
    if (!agent || agent.hasEnded || !isFinalStatus(status)) continue
    completeAgent(
      agent,
      { status: runStatus(status), output: lastTextOf(agent, context.state) ?? output },
      context,
    )
  }
}

/** Only main's results have the tool's own record. Any result has the text. */
function reportsOf(record: JsonObject, text: string): readonly TaskReport[] {
  if (record.retrieval_status !== undefined) return recordedTasks(record)
  const stopped = stoppedTask(record) ?? stoppedTask(writtenRecord(text))
  if (stopped) return [stopped]
  return text.startsWith('<retrieval_status>') ? writtenTask(text) : []
}

/** `TaskOutput` has one task, and `AgentOutputTool` a list of agents, or agents by id. */
function recordedTasks({ task, agents }: JsonObject): readonly TaskReport[] {
  const { task_id, status, result, output } = asObject(task)
  const byId = Object.entries(asObject(agents)).map(([id, agent]) => ({ agentId: id, ...asObject(agent) }))
  const listed = Array.isArray(agents) ? agents.map(asObject) : byId
  return [{ taskId: task_id, status, output: result ?? output }, ...listed.map(recordedAgent)].flatMap(
    (each) =>
      typeof each.taskId === 'string' && typeof each.status === 'string'
        ? [{ taskId: each.taskId, status: each.status, output: reportIn(asString(each.output)) }]
        : [],
  )
}

function recordedAgent(agent: JsonObject): Readonly<Record<'taskId' | 'status' | 'output', unknown>> {
  const { agentId, agent_id, status, result, output } = agent
  return { taskId: agent_id ?? agentId, status, output: result ?? output }
}

/** The text that 2.0.76 and later give for one task. The tags of the program stand before the output. */
function writtenTask(text: string): readonly TaskReport[] {
  const [head = '', ...rest] = text.split('<output>')
  const taskId = /^<(?:task|agent)_id>(.+)<\/(?:task|agent)_id>$/m.exec(head)?.[1]
  const status = /^<status>(.+)<\/status>$/m.exec(head)?.[1]
  const output = rest.length === 0 ? undefined : rest.join('<output>').replace(/<\/output>\s*$/, '')
  return taskId === undefined || status === undefined ? [] : [{ taskId, status, output: reportIn(output) }]
}

/** In 2.0.76, a log of the agent's calls comes before its report. */
function reportIn(output: string | undefined): string | undefined {
  return output
    ?.split(/^--- RESULT ---$/m)
    .at(-1)
    ?.trim()
}

function stoppedTask({ task_id, task_type, message }: JsonObject): TaskReport | undefined {
  const isStopped = typeof task_id === 'string' && asString(task_type)?.endsWith('agent') === true
  return isStopped ? { taskId: task_id, status: 'stopped', output: asString(message) } : undefined
}

/** Most results are no JSON, and may be long. */
function writtenRecord(text: string): JsonObject {
  return text.startsWith('{') && text.includes('"task_type"') ? asObject(parseJson(text)) : {}
}
