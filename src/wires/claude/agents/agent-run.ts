import { omitUndefined } from '../../../core/json/fields.ts'
import { addToList } from '../../../core/json/lists.ts'
import { toolUseIdOfBlock } from '../../../core/state/block.ts'
import { isAtLeast } from '../../../programs/claude-code/program.ts'
import { isApiErrorText } from '../../../programs/claude-code/texts.ts'
import type { SessionOutput } from '../../../reading/context.ts'
import type { SessionLookups } from '../../../reading/lookups.ts'
import { reportNotifiedTokens } from '../blocks/usage.ts'
import type { ClaudeContext, ClaudeMemory } from '../notes.ts'
import {
  type Agent,
  endsWithTurn,
  findAgent,
  hasFailedRequest,
  hasOpenCall,
  lastTextOf,
  noteAgent,
  runningAgents,
} from './agent.ts'

/** The tool that resumes an agent. The state shows a resume whose call has its result. */
export const SEND_MESSAGE = 'SendMessage'

/** The end of an agent's run. An absent field is unknown. */
interface RunEnd {
  readonly status: 'completed' | 'error'
  readonly runId?: string | undefined
  /** The call that started the run. */
  readonly callId?: string | undefined
  readonly output?: string | undefined
  readonly durationMs?: number | undefined
  /** The sum of the tokens of the agent's last message, if a notification states it. */
  readonly totalTokens?: number | undefined
  /** The call that a notification names, which started the run. */
  readonly notifiedCall?: string | undefined
}

/** Returns how a run ended. The program has one word for success and several for other ends. */
export function runStatus(status: unknown): RunEnd['status'] {
  return status === 'completed' ? 'completed' : 'error'
}

/** Whether a task with that status has ended. */
export function isFinalStatus(status: unknown): boolean {
  return status === 'completed' || status === 'failed' || status === 'killed' || status === 'stopped'
}

/** Completes a run of an agent. The agent has ended, unless the run is older than its last resume. */
export function completeAgent(agent: Agent, end: RunEnd, context: ClaudeContext): void {
  if (isRepeatedFirstRun(agent, end)) return
  const { toolUseId, agentId } = agent
  const { runId, output, durationMs, totalTokens: total } = end
  const status = hasFailed(agent, output, context.state) ? 'error' : end.status
  if (total !== undefined && status === 'completed') {
    const run = end.notifiedCall ?? toolUseId
    reportNotifiedTokens(toolUseId, { run, total, report: output }, context)
  }
  if (isStoredEnd(agent, context.notes.values) && !agent.isEndProvisional && context.notes.values.isStream)
    return completeStoredEnd(agent, end, context)
  context.emit({ type: 'subagent:completed', toolUseId, status, agentId, runId, output, durationMs })
  if (context.state.hasEnded(toolUseId)) noteAgent(toolUseId, { isLaunched: undefined }, context)
}

/** Whether a live stream repeats the end of the first run, although the history has a later resume. */
function isRepeatedFirstRun(
  { toolUseId, hasUnknownRun, runId }: Agent,
  end: Pick<RunEnd, 'callId' | 'runId'>,
): boolean {
  if (!hasUnknownRun) return false
  return end.callId === toolUseId || (runId !== undefined && end.runId === runId)
}

/** Whether the history states the end of the agent's run. All that a file states is history. */
export function isStoredEnd(
  { hasEnded, storedEnd }: Agent,
  notes: ClaudeContext['notes']['values'],
): boolean {
  return hasEnded && (storedEnd !== undefined || !notes.isStream)
}

/** Remembers which agents have ended before a live stream goes on with the history. */
export function rememberStoredEnds(memory: ClaudeMemory): void {
  for (const { toolUseId, output, durationMs } of memory.state.agents()) {
    const storedEnd = { hasOutput: output !== undefined, hasDuration: durationMs !== undefined }
    if (memory.state.hasEnded(toolUseId)) noteAgent(toolUseId, { storedEnd }, memory)
  }
}

/** A live message repeats the end that the history states. It adds only the facts that the history lacks. */
function completeStoredEnd({ toolUseId, storedEnd }: Agent, end: RunEnd, output: SessionOutput): void {
  const facts = omitUndefined({
    output: storedEnd?.hasOutput ? undefined : end.output,
    durationMs: storedEnd?.hasDuration ? undefined : end.durationMs,
  })
  if (Object.keys(facts).length === 0) return
  const status = output.state.findAgent(toolUseId)?.status === 'success' ? 'completed' : 'error'
  output.emit({ type: 'subagent:completed', toolUseId, status, ...facts })
}

/**
 * Whether an agent has failed although its end says `completed`: before 2.1.330, only the text shows that its request
 * to the model failed. Later versions state the failure, so the same text is a report.
 */
function hasFailed(agent: Agent, output: string | undefined, state: SessionLookups): boolean {
  if (isAtLeast(state.facts.version, [2, 1, 330])) return false
  return isApiErrorText(output) || hasFailedRequest(agent, state)
}

interface Resume {
  /** The call that requests the resume. */
  readonly callId?: string | undefined
  readonly runId?: string | undefined
  readonly prompt?: string | undefined
}

/** Resumes an agent that has ended. Several messages report a resume, and the first of them counts. */
export function resumeAgent(agent: Agent, { callId, runId, prompt }: Resume, context: ClaudeContext): void {
  const { toolUseId, hasEnded } = agent
  if (callId !== undefined) rememberResumeCall(callId, context.notes)
  if (!hasEnded) return
  const run = {
    isResumed: true,
    runId: agent.runId,
    resumedRunId: undefined,
    hasUnknownRun: runId === undefined && !context.notes.values.isStream ? true : undefined,
    storedEnd: undefined,
    isEndProvisional: undefined,
  }
  noteAgent(toolUseId, run, context)
  context.emit({ type: 'subagent:resumed', toolUseId, runId, prompt })
}

/** Ends the run of an agent with its turn, if no result of a call reports the run's end. */
export function endOwnRun(
  conversationId: string,
  end: Pick<RunEnd, 'status' | 'output'>,
  context: ClaudeContext,
): void {
  const agent = findAgent(conversationId, context)
  if (agent && endsWithTurn(agent))
    completeAgent(agent, { ...end, output: end.output ?? lastTextOf(agent, context.state) }, context)
}

/** Resumes an agent that has ended with its turn, and goes on by itself: a message to it, or of it, begins another run. */
export function resumeOwnRun(conversationId: string, context: ClaudeContext): void {
  const agent = findAgent(conversationId, context)
  if (agent?.hasEnded && endsWithTurn(agent)) resumeAgent(agent, {}, context)
}

/**
 * Remembers the call of a resume, so that the call's result does not resume the agent again. If that result also
 * reports the agent's end, `toolUseId` names the agent.
 */
export function rememberResumeCall(
  callId: string,
  notes: ClaudeContext['notes'],
  toolUseId: string = callId,
): void {
  notes.setEntry('resumeCalls', callId, toolUseId)
}

/** Ends the agent of a retracted call, unless it has started: a line or an event has named its id. */
export function abandonUnstartedAgent(blockId: string, context: ClaudeContext): void {
  const agent = findAgent(toolUseIdOfBlock(blockId), context)
  if (agent && agent.agentId === undefined && !agent.hasEnded)
    completeAgent(agent, { status: 'error' }, context)
}

/**
 * Ends the agents whose calls a conversation waited for, and the agents that they waited for. The conversation's turn
 * is over without their results, so the process that ran them was killed, or the turn was stopped.
 */
export function abandonAwaitedAgents(conversationId: string, context: ClaudeContext): void {
  const byParent = new Map<string, Agent[]>()
  for (const agent of runningAgents(context).filter((each) => isAwaited(each, context)))
    addToList(byParent, agent.parent ?? '', agent)
  const waiting = [conversationId]
  for (const parent of waiting)
    for (const agent of byParent.get(parent) ?? []) {
      completeAgent(agent, { status: 'error' }, context)
      waiting.push(agent.toolUseId)
    }
}

/** Ends all agents in the background: the person has stopped them, or has left the program. */
export function completeKilledAgents(context: ClaudeContext): void {
  for (const agent of runningAgents(context).filter(({ isLaunched }) => isLaunched === true))
    completeAgent(agent, { status: 'error' }, context)
}

/** Whether a conversation waits for the call of a running agent. */
export function isAwaitingAgent(conversationId: string, memory: ClaudeMemory): boolean {
  return runningAgents(memory).some((agent) => agent.parent === conversationId && isAwaited(agent, memory))
}

/** Whether the parent of a running agent waits for the result of the call. */
function isAwaited(agent: Agent, memory: ClaudeMemory): boolean {
  return !agent.isResumed && hasOpenCall(agent, memory)
}
