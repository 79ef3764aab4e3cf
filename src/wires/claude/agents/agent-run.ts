import { omitUndefined } from '../../../json/omit-undefined.ts'
import { withChanges } from '../../../json/with-changes.ts'
import type { ClaudeContext } from '../context.ts'
import { isApiErrorText } from '../lines/api-error.ts'
import type { Agent, StoredEnd } from '../memory.ts'
import { storeAgent } from './register-agent.ts'

/** The end of an agent's run. An absent field is unknown. */
interface RunEnd {
  readonly status: 'completed' | 'error'
  readonly runId?: string | undefined
  /** The call that started the run. */
  readonly callId?: string | undefined
  readonly output?: string | undefined
  readonly durationMs?: number | undefined
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
  const { toolUseId, agentId, runId, resumedRunId = runId } = agent
  const isCurrentRun = end.runId === undefined || resumedRunId === undefined || end.runId === resumedRunId
  if (agent.hasEnded && agent.storedEnd && !agent.storedEnd.isProvisional && context.memory.isStream)
    return completeStoredEnd(agent, agent.storedEnd, end, context)
  const status = hasFailed(agent, end.output, context) ? 'error' : end.status
  const { output, durationMs } = end
  const storedEnd = context.memory.isStream
    ? undefined
    : { ...agent.storedEnd, ...omitUndefined({ status, output, durationMs }) }
  if (isCurrentRun) storeAgent(withChanges(agent, { hasEnded: true, storedEnd }), context)
  const { runId: endedRunId } = end
  context.emit(
    omitUndefined({
      type: 'subagent:completed',
      toolUseId,
      status,
      agentId,
      runId: endedRunId,
      output,
      durationMs,
    }),
  )
}

/** Whether a live stream repeats the end of the first run, although the history has a later resume. */
function isRepeatedFirstRun(
  { toolUseId, hasUnknownRun, runId }: Agent,
  end: Pick<RunEnd, 'callId' | 'runId'>,
): boolean {
  if (!hasUnknownRun) return false
  return end.callId === toolUseId || (runId !== undefined && end.runId === runId)
}

/** A live message repeats the end that the history states. It adds only the facts that the history lacks. */
function completeStoredEnd(
  agent: Agent,
  { status, output, durationMs }: StoredEnd,
  end: RunEnd,
  context: ClaudeContext,
): void {
  const facts = omitUndefined({
    output: output === undefined ? end.output : undefined,
    durationMs: durationMs === undefined ? end.durationMs : undefined,
  })
  if (Object.keys(facts).length === 0) return
  context.emit({ type: 'subagent:completed', toolUseId: agent.toolUseId, status, ...facts })
}

/**
 * Whether an agent has failed although its end says `completed`: before 2.1.330, only the text shows that its request to
 * the model failed. Later versions state the failure, so the same text is a report.
 */
function hasFailed(
  { hasFailedRequest }: Agent,
  output: string | undefined,
  { facts }: ClaudeContext,
): boolean {
  const mayHaveFailed = hasFailedRequest === true || isApiErrorText(output)
  return mayHaveFailed && !statesFailures(facts.version)
}

function statesFailures(version = ''): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map((part) => Number.parseInt(part, 10))
  if (major !== 2) return major > 2
  return minor === 1 ? patch >= 330 : minor > 1
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
  if (callId !== undefined) rememberResumeCall(callId, context)
  if (!hasEnded) return
  const run = {
    hasEnded: false,
    storedEnd: undefined,
    isResumed: true,
    hasFailedRequest: false,
    resumedRunId: runId,
    hasUnknownRun: runId === undefined && !context.memory.isStream,
  }
  storeAgent(withChanges(agent, run), context)
  context.emit(omitUndefined({ type: 'subagent:resumed', toolUseId, runId, prompt }))
}

/**
 * Remembers the call of a resume, so that the call's result does not resume the agent again. If that result also reports the
 * agent's end, `toolUseId` names the agent.
 */
export function rememberResumeCall(callId: string, context: ClaudeContext, toolUseId: string = callId): void {
  context.setEntry('resumeCalls', callId, toolUseId)
}
