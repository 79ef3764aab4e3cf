import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asFiniteNumber, asObject, asString, type JsonObject } from '../../../json/values.ts'
import type { ClaudeContext } from '../context.ts'
import type { Agent } from '../memory.ts'
import { agentOfTask, completeAgent, learnAgent, parentOfAgent, resumeAgent, runStatus } from './agents.ts'

/** Shell commands in the background are tasks too. */
function isAgentTask({ task_type }: JsonObject): boolean {
  return task_type === undefined || (typeof task_type === 'string' && task_type.endsWith('agent'))
}

/** An agent begins, or one that had finished goes on: told by the program, not by the model. */
export function startTask(raw: JsonObject, translation: ClaudeContext): void {
  if (!isAgentTask(raw)) return
  const agentId = asString(raw.task_id)
  const runId = asString(raw.run_id)
  const prompt = asString(raw.prompt)
  const started = agentOfTask(raw, translation)
  // A resume names the call that asked for it; the agent stays the one that its own call started.
  if (started?.isSettled)
    return resumeAgent(started, { callId: asString(raw.tool_use_id), runId, prompt }, translation)
  if (!started && agentId !== undefined && isOpenCall(raw, translation))
    return meetStranger(agentId, raw, translation)
  const toolUseId = started?.toolUseId ?? asString(raw.tool_use_id) ?? agentId
  if (toolUseId === undefined) return translation.reportUnknown('unknown-message', 'system/task_started')
  learnAgent(
    omitUndefined({
      toolUseId,
      agentId,
      runId,
      prompt,
      parent: parentOfTask(raw, translation),
      name: asString(raw.subagent_type),
      description: asString(raw.description),
      isBackground: raw.is_backgrounded === true ? true : undefined,
    }),
    translation,
  )
}

function parentOfTask(
  { parent_task_id, spawn_depth }: JsonObject,
  translation: ClaudeContext,
): string | undefined {
  return parentOfAgent({ parentAgentId: parent_task_id, depth: spawn_depth }, translation)
}

/** A call that has been met, and that is no agent's: it asks an agent of an earlier process to go on. */
function isOpenCall({ tool_use_id }: JsonObject, { memory }: ClaudeContext): boolean {
  return memory.calls.values().some((call) => call.toolUseId === tool_use_id)
}

/** The agent's own messages will tell which call it belongs to. */
function meetStranger(agentId: string, raw: JsonObject, translation: ClaudeContext): void {
  const { strangers, resumes } = translation.memory
  const callId = asString(raw.tool_use_id) ?? ''
  const facts = omitUndefined({
    runId: asString(raw.run_id),
    parent: parentOfTask(raw, translation),
  })
  translation.remember({
    strangers: strangers.with(agentId, facts),
    resumes: resumes.with(callId, callId),
  })
}

/** An agent's state has changed; only its end is news. */
export function updateTask(raw: JsonObject, translation: ClaudeContext): void {
  const { status, error } = asObject(raw.patch)
  const agent = agentOfTask(raw, translation)
  if (!agent || !isFinalStatus(status)) return
  const runId = asString(raw.run_id)
  completeAgent(agent, { status: runStatus(status), runId, output: asString(error) }, translation)
}

/** An agent has ended; with what it said, as far as the version tells. */
export function notifyTask(raw: JsonObject, translation: ClaudeContext): void {
  const agent = agentOfTask(raw, translation)
  if (!agent || !isFinalStatus(raw.status)) return
  const status = runStatus(raw.status)
  const durationMs = asFiniteNumber(asObject(raw.usage).duration_ms)
  const output = status === 'error' ? summaryOf(raw, agent) : reportOf(raw, agent)
  completeAgent(agent, { status, runId: asString(raw.run_id), output, durationMs }, translation)
}

/** Only newer versions give the report as the summary; older ones repeat the description there. */
function reportOf(raw: JsonObject, agent: Agent): string | undefined {
  if (raw.summary_is_report === true) return asString(raw.summary)
  return agent.lastText ?? summaryOf(raw, agent)
}

function summaryOf({ summary }: JsonObject, { description }: Agent): string | undefined {
  return summary === description ? undefined : asString(summary)
}

function isFinalStatus(status: unknown): boolean {
  return status === 'completed' || status === 'failed' || status === 'killed' || status === 'stopped'
}
