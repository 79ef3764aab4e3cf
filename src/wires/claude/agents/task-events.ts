import { omitUndefined, withChanges } from '../../../core/json/fields.ts'
import { asFiniteNumber, asObject, asString, isObject, type JsonObject } from '../../../core/json/values.ts'
import type { ConversationBlock } from '../../../core/state/block.ts'
import { MAIN } from '../../../core/state/session.ts'
import { outputInNotification, textInTag } from '../../../programs/claude-code/framed-text.ts'
import { isTaskNotification } from '../../../programs/claude-code/texts.ts'
import type { SessionLookups } from '../../../reading/lookups.ts'
import { isWaitingCall } from '../blocks/calls.ts'
import { agentCallOf } from '../lines/own-ids.ts'
import type { ClaudeContext, ClaudeMemory } from '../notes.ts'
import {
  type Agent,
  agentOfTask,
  callOfAgent,
  conversationOfAgent,
  findAgent,
  lastTextOf,
  noteAgent,
  parentOfAgent,
} from './agent.ts'
import {
  completeAgent,
  isFinalStatus,
  isStoredEnd,
  rememberResumeCall,
  resumeAgent,
  runStatus,
  SEND_MESSAGE,
} from './agent-run.ts'
import { linkAgent, registerAgent, storeAgentWithoutCall } from './register-agent.ts'
import { endWorkflow } from './workflow.ts'

/** Translates `task_started` (2.1.197 on): an agent begins, or an agent that has ended resumes. */
export function translateTaskStarted(raw: JsonObject, context: ClaudeContext): void {
  if (!isAgentTask(raw)) return
  const agentId = asString(raw.task_id)
  const runId = asString(raw.run_id)
  const prompt = asString(raw.prompt)
  const known = agentOfTask(raw, context)
  if (known && isRepeatedStart(known, raw, context)) return registerRun(known, raw, context)
  // A resume names the call that requests it, but the agent stays the one of its first call.
  if (known?.hasEnded)
    return resumeAgent(known, { callId: asString(raw.tool_use_id), runId, prompt }, context)
  // A pending call that starts no agent resumes one of an earlier run of the program.
  if (!known && agentId !== undefined && isWaitingCall(asString(raw.tool_use_id), context))
    return storeResumedAgent(agentId, raw, context)
  const toolUseId = known?.toolUseId ?? asString(raw.tool_use_id) ?? agentId
  if (toolUseId === undefined) return context.reportUnknown('unknown-message', 'system/task_started')
  const facts = omitUndefined({
    agentId,
    runId,
    prompt,
    parent: parentOfTask(raw, context),
    name: asString(raw.subagent_type),
    description: asString(raw.description),
    isBackground: raw.is_backgrounded === true ? true : undefined,
  })
  registerAgent(toolUseId, facts, context)
}

/** Whether the history has the start already: the first one of an agent that has ended or resumed, or a resume that has begun. */
function isRepeatedStart(agent: Agent, { tool_use_id, run_id }: JsonObject, memory: ClaudeMemory): boolean {
  if (tool_use_id === agent.toolUseId)
    return (
      (isStoredEnd(agent, memory.notes.values) || agent.isResumed === true) &&
      !isNextRun(agent, run_id, memory.state)
    )
  return memory.notes.values.resumeCalls.get(asString(tool_use_id) ?? '') !== undefined
}

/** Whether another run begins, although the start names the agent's own call: its parent waits for the answer to a message. */
function isNextRun(
  { parent = MAIN, runId, resumedRunId, hasEnded }: Agent,
  startedRun: unknown,
  state: SessionLookups,
): boolean {
  if (!hasEnded || startedRun === undefined || startedRun === runId || startedRun === resumedRunId)
    return false
  const isMessage = (block: ConversationBlock) => block.type === 'tool_use' && block.toolName === SEND_MESSAGE
  return state.firstOpenBlock(parent, isMessage) !== undefined
}

/**
 * A repeated start names the run that the history does not name. If the end of an earlier run has ended the agent
 * before, the agent resumes again.
 */
function registerRun(agent: Agent, { tool_use_id, ...raw }: JsonObject, context: ClaudeContext): void {
  const runId = asString(raw.run_id)
  const { toolUseId, hasUnknownRun, hasEnded, resumedRunId } = agent
  if (!hasUnknownRun || runId === undefined) return
  if (tool_use_id === toolUseId) return noteAgent(toolUseId, { runId }, context)
  if (!hasEnded) return noteAgent(toolUseId, { resumedRunId: runId }, context)
  if (isStoredEnd(agent, context.notes.values) || runId === resumedRunId) return
  resumeAgent(agent, { runId, prompt: asString(raw.prompt) }, context)
}

/** Shell commands in the background are tasks too. */
function isAgentTask({ task_type }: JsonObject): boolean {
  return task_type === undefined || (typeof task_type === 'string' && task_type.endsWith('agent'))
}

function parentOfTask({ parent_task_id, spawn_depth }: JsonObject, memory: ClaudeMemory): string | undefined {
  return parentOfAgent({ parentAgentId: parent_task_id, depth: spawn_depth }, memory)
}

/** Keeps the facts of an agent of an earlier run of the program. The agent's own messages will name its call. */
function storeResumedAgent(agentId: string, raw: JsonObject, memory: ClaudeMemory): void {
  const facts = omitUndefined({ runId: asString(raw.run_id), parent: parentOfTask(raw, memory) })
  storeAgentWithoutCall(agentId, facts, memory.notes)
  rememberResumeCall(asString(raw.tool_use_id) ?? '', memory.notes)
}

/** Translates `task_updated`. Only the end of an agent matters. */
export function translateTaskUpdated(raw: JsonObject, context: ClaudeContext): void {
  const { status, error } = asObject(raw.patch)
  const agent = agentOfTask(raw, context)
  if (!agent || !isFinalStatus(status)) return
  // This may be an earlier run. The run's notification follows, and names its call.
  if (agent.hasUnknownRun && agent.resumedRunId === undefined) return
  const runId = asString(raw.run_id)
  completeAgent(agent, { status: runStatus(status), runId, output: asString(error) }, context)
}

/** Translates `task_notification`: an agent has ended, with its report if the version gives it. */
export function translateTaskNotification(raw: JsonObject, context: ClaudeContext): void {
  endWorkflow(asString(raw.tool_use_id), raw.status, context)
  const agent = agentOfTask(raw, context)
  if (!agent || !isFinalStatus(raw.status)) return
  const status = runStatus(raw.status)
  const { duration_ms, total_tokens } = asObject(raw.usage)
  const durationMs = asFiniteNumber(duration_ms)
  const totalTokens = asFiniteNumber(total_tokens)
  const output = raw.status === 'failed' ? summaryOf(raw, agent) : reportOf(raw, agent, context.state)
  const runId = asString(raw.run_id)
  const callId = asString(raw.tool_use_id)
  const end = { status, runId, callId, output, durationMs, totalTokens, notifiedCall: callId }
  completeAgent(agent, end, context)
}

/** Only newer versions give the report as the summary. Older ones repeat the description there. */
function reportOf(raw: JsonObject, agent: Agent, state: SessionLookups): string | undefined {
  if (raw.summary_is_report === true) return asString(raw.summary)
  return lastTextOf(agent, state) ?? summaryOf(raw, agent)
}

function summaryOf({ summary }: JsonObject, { description }: Agent): string | undefined {
  return summary === description ? undefined : asString(summary)
}

/** The progress of tools that run an agent. Each line of progress holds one whole message of the agent. */
const AGENT_PROGRESS: ReadonlySet<unknown> = new Set(['agent_progress', 'skill_progress'])

/**
 * Returns the agent's message that a `progress` line of main's file holds (2.1.17 to 2.1.49), as a line of that
 * agent. Any other line stays as it is. The message has the uuid of its line in the agent's own file, if the session
 * has that file.
 */
export function unwrapAgentProgress(raw: JsonObject, context: ClaudeContext): JsonObject {
  if (raw.type !== 'progress') return raw
  const { type, agentId, message } = asObject(raw.data)
  const named = asString(raw.parentToolUseID)
  if (!AGENT_PROGRESS.has(type) || !isObject(message) || named === undefined) return raw
  const id = asString(agentId)
  const callId = agentCallOf(named, { agentId: id, time: asString(raw.timestamp) }, context)
  if (id !== undefined) linkAgentOfProgress(id, callId, context)
  const line = withChanges(message, {
    isSidechain: true,
    timestamp: message.timestamp ?? raw.timestamp,
    agentId: id,
    parent_tool_use_id: id === undefined ? callId : conversationOfAgent(context, id),
  })
  return omitUndefined(line)
}

/** Links the agent to its call before the call's result does. A resumed agent stays with its first call. */
function linkAgentOfProgress(agentId: string, toolUseId: string, context: ClaudeContext): void {
  if (callOfAgent(context, agentId) === undefined && findAgent(toolUseId, context)?.agentId === undefined)
    linkAgent({ agentId, toolUseId }, context)
}

/** Completes the agent whose report a `queue-operation` queues. The model gets the report later. */
export function completeQueuedNotification(raw: JsonObject, context: ClaudeContext): void {
  const { operation, content } = raw
  if (operation === 'enqueue' && typeof content === 'string' && isTaskNotification(content))
    completeNotifiedAgent(raw, content, context)
}

/**
 * Completes the agent whose report the program hands to the model in a conversation. An earlier part of the session,
 * which the input lacks, may have started the agent. Then the report is all that is known of it.
 */
export function completeNotifiedAgent(
  raw: JsonObject,
  text: string,
  context: ClaudeContext,
  conversationId?: string,
): void {
  const task = {
    task_id: textInTag(text, 'task-id') ?? textInTag(text, 'agent-id'),
    tool_use_id: textInTag(text, 'tool-use-id'),
  }
  const agent = agentOfTask(task, context) ?? agentOfReport(task, text, conversationId, context)
  const notified = textInTag(text, 'status')
  endWorkflow(task.tool_use_id, notified, context)
  if (!agent || notified === 'running') return
  const duration = textInTag(text, 'duration_ms', { isLast: true })
  completeAgent(
    agent,
    {
      status: runStatus(notified),
      runId: asString(asObject(raw.origin).runId),
      output:
        outputInNotification(text) ??
        (notified === 'failed' ? textInTag(text, 'summary') : lastTextOf(agent, context.state)),
      durationMs: duration === undefined ? undefined : asFiniteNumber(Number(duration)),
      totalTokens: tokensIn(text),
      notifiedCall: task.tool_use_id,
    },
    context,
  )
}

/** Returns the tokens that a report states. Version 2.1.34 writes them without tags. */
function tokensIn(text: string): number | undefined {
  const usage = textInTag(text, 'usage', { isLast: true }) ?? ''
  return asFiniteNumber(Number(/(?:subagent|total)_tokens(?:>|: )(\d+)/.exec(usage)?.[1]))
}

/** Registers an agent that only its report names, below the conversation that gets the report. Commands have reports, too. */
function agentOfReport(
  {
    task_id: agentId,
    tool_use_id: callId,
  }: { readonly [Name in 'task_id' | 'tool_use_id']: string | undefined },
  text: string,
  parent: string | undefined,
  context: ClaudeContext,
): Agent | undefined {
  const description = /^Agent "(.*)" /.exec(textInTag(text, 'summary') ?? '')?.[1]
  if (parent === undefined || agentId === undefined || description === undefined) return undefined
  // The call of `SendMessage` is no agent's.
  const isOther = callId === undefined || context.state.conversationOfCall(callId) !== undefined
  return registerAgent(isOther ? agentId : callId, { parent, agentId, description }, context)
}
