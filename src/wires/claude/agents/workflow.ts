import { omitUndefined } from '../../../core/json/fields.ts'
import { asArray, asFiniteNumber, asObject, asString, type JsonObject } from '../../../core/json/values.ts'
import { textsIn } from '../../../programs/claude-code/texts.ts'
import type { ClaudeContext, ClaudeMemory } from '../notes.ts'
import { findAgent, lastTextOf, runningAgents } from './agent.ts'
import { completeAgent, isFinalStatus, runStatus } from './agent-run.ts'
import { registerAgent, storeAgentWithoutCall } from './register-agent.ts'

/** The tool that runs a script, which launches agents. */
export const WORKFLOW = 'Workflow'

/** The facts about an agent of a run. Its label is its name. */
interface RunAgent {
  readonly name?: string
  readonly phase?: string
  readonly prompt?: string
  readonly workflowRun?: string
}

/** Registers an agent of a workflow below the call of the workflow, or keeps its facts until the call's result names the run. */
export function registerAgentOfRun(agentId: string, facts: RunAgent, context: ClaudeContext): void {
  const callId = context.notes.values.workflowCalls.get(facts.workflowRun ?? '')
  if (callId === undefined) storeAgentWithoutCall(agentId, facts, context.notes)
  else registerLaunchedAgent(agentId, callId, facts, context)
}

function registerLaunchedAgent(
  agentId: string,
  launchedBy: string,
  { workflowRun: _, ...facts }: RunAgent,
  context: ClaudeContext,
): void {
  const parent = context.state.conversationOfCall(launchedBy)
  registerAgent(agentId, omitUndefined({ ...facts, agentId, parent, launchedBy }), context)
}

/** Registers the agents of the run that a call's result names. Returns the ids of those whose lines may wait. */
export function registerRun(part: JsonObject, record: JsonObject, context: ClaudeContext): readonly string[] {
  const callId = asString(part.tool_use_id)
  if (callId === undefined || !isWorkflow(callId, context)) return []
  const runId = asString(record.runId) ?? runIdIn(part.content)
  if (runId === undefined) return []
  context.notes.setEntry('workflowCalls', runId, callId)
  const waiting = context.notes.values.agentsWithoutCall
    .entries()
    .filter(([, { workflowRun }]) => workflowRun === runId)
  return [...waiting].map(([agentId, facts]) => {
    registerLaunchedAgent(agentId, callId, facts, context)
    return agentId
  })
}

/** Returns the run that a result's words for the model name. */
export function runIdIn(content: unknown): string | undefined {
  return /^Run ID: (\S+)$/m.exec(textsIn(content).join('\n'))?.[1]
}

function isWorkflow(callId: string, memory: ClaudeMemory): boolean {
  const parent = memory.state.conversationOfCall(callId)
  return parent !== undefined && memory.state.findCall(parent, callId)?.toolName === WORKFLOW
}

/** Translates the report of a workflow's progress, which only streams have: the state of each agent so far. */
export function translateWorkflowProgress(raw: JsonObject, context: ClaudeContext): void {
  const callId = asString(raw.tool_use_id)
  if (callId === undefined) return
  for (const entry of asArray(raw.workflow_progress).map(asObject))
    if (entry.type === 'workflow_agent') translateAgentProgress(entry, callId, context)
}

function translateAgentProgress(entry: JsonObject, callId: string, context: ClaudeContext): void {
  const { agentId, label, phaseTitle, promptPreview, state } = entry
  if (typeof agentId !== 'string') return
  const facts = { name: asString(label), phase: asString(phaseTitle), prompt: wholeText(promptPreview) }
  registerLaunchedAgent(agentId, callId, omitUndefined(facts), context)
  const agent = findAgent(agentId, context)
  if (!agent || agent.hasEnded || (state !== 'done' && state !== 'error')) return
  const output = lastTextOf(agent, context.state) ?? wholeText(entry.resultPreview) ?? asString(entry.error)
  const durationMs = asFiniteNumber(entry.durationMs)
  completeAgent(agent, { status: state === 'done' ? 'completed' : 'error', output, durationMs }, context)
}

/** A preview ends with an ellipsis if it lacks the rest of the text. */
function wholeText(preview: unknown): string | undefined {
  return typeof preview === 'string' && !/(?:…|\.\.\.)$/.test(preview) ? preview : undefined
}

/** Ends a workflow with its report. The agents of a run that has ended have ended too. */
export function endWorkflow(callId: string | undefined, status: unknown, context: ClaudeContext): void {
  if (callId === undefined || !isFinalStatus(status)) return
  const running = runningAgents(context).filter(({ launchedBy }) => launchedBy === callId)
  for (const agent of running)
    completeAgent(agent, { status: runStatus(status), output: lastTextOf(agent, context.state) }, context)
}
