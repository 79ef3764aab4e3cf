import { omitUndefined } from '../../core/json/fields.ts'
import {
  asArray,
  asFiniteNumber,
  asObject,
  asString,
  isObject,
  type JsonObject,
} from '../../core/json/values.ts'

/** An agent that a call is to start. */
export interface AgentTask {
  readonly name?: string | undefined
  readonly prompt?: string | undefined
}

/** The agents that a call starts: one alone, several at a time, or one after the other. */
interface AgentTasks {
  readonly mode: 'single' | 'parallel' | 'chain'
  readonly tasks: readonly AgentTask[]
}

/** The tools that start agents: those of Pi's extensions, and that of Oh My Pi. */
const TOOLS: ReadonlySet<string> = new Set(['subagent', 'task'])

/** Returns the agents that a call starts; undefined if it starts none. Oh My Pi gives a call a list of tasks, even of one. */
export function agentTasksOf(toolName: string, input: unknown): AgentTasks | undefined {
  if (!TOOLS.has(toolName)) return undefined
  const { tasks, chain, agent, task } = asObject(input)
  if (Array.isArray(tasks)) return { mode: 'parallel', tasks: tasks.map(readTask) }
  if (Array.isArray(chain)) return { mode: 'chain', tasks: chain.map(readTask) }
  const single = readTask({ agent, task })
  return single.prompt === undefined ? undefined : { mode: 'single', tasks: [single] }
}

function readTask(value: unknown): AgentTask {
  const { agent, task, assignment = task } = asObject(value)
  return { name: asString(agent), prompt: asString(assignment) }
}

/** The facts about one agent in the details of a result. */
export interface AgentRun extends AgentTask {
  readonly agentId?: string | undefined
  readonly status?: 'pending' | 'running' | 'completed' | 'error' | undefined
  /** The agent's messages so far. */
  readonly messages: readonly unknown[]
  readonly output?: string | undefined
  /** No agent has that name, so none has started. */
  readonly isUnknown: boolean
}

/** The report of a result on the agents of its call: some have ended, all have, or all work on in the background. */
type RunsPhase = 'running' | 'ended' | 'launched'

/** Returns what the result of a call says about its agents. */
export function phaseOf({ async: job, asyncId }: JsonObject, isFinal: boolean): RunsPhase {
  if (!isFinal) return 'running'
  return isObject(job) || typeof asyncId === 'string' ? 'launched' : 'ended'
}

/** Returns what the details of a call's result show of its agents, in the order of the tasks. */
export function agentRunsOf(details: JsonObject, phase: RunsPhase, tasks: number): readonly AgentRun[] {
  const { results, progress, asyncId, runId = asyncId } = details
  const shown = asArray(results).length > 0 ? asArray(results) : asArray(progress)
  // A launch may show nothing but the id of the run.
  const isSilent = phase === 'launched' && shown.length === 0 && typeof runId === 'string'
  const entries: readonly unknown[] = isSilent ? Array.from({ length: tasks }) : shown
  return entries.map((entry, index) => readRun(asObject(entry), { index, runId, phase }))
}

interface RunPlace {
  readonly index: number
  readonly runId: unknown
  readonly phase: RunsPhase
}

function readRun(raw: JsonObject, { index, runId, phase }: RunPlace): AgentRun {
  const { agentSource, messages, finalOutput, errorMessage, error = errorMessage } = raw
  const { task, assignment = task } = raw
  const place = asFiniteNumber(raw.index) ?? index
  const status = phase === 'launched' ? 'running' : statusOf(raw, phase === 'ended')
  return {
    name: asString(raw.agent),
    prompt: assignment === REDACTED ? undefined : asString(assignment),
    agentId: typeof runId === 'string' ? `${runId}/run-${place}` : asString(raw.id),
    status,
    messages: asArray(messages),
    output: asString(finalOutput) ?? asString(error),
    isUnknown: agentSource === 'unknown' && status === 'error',
  }
}

/** The words that stand for the prompt in the details of pi-subagents. */
const REDACTED = '[prompt redacted]'

/** Until 0.74, an agent that works has the exit code 0, and one that has not begun has -1. */
function statusOf(raw: JsonObject, isFinal: boolean): AgentRun['status'] {
  const { status = asObject(raw.progress).status, exitCode, stopReason } = raw
  if (!isFinal && (status === undefined || !ENDED.has(status)))
    return status === 'pending' || exitCode === -1 ? 'pending' : 'running'
  if (typeof status === 'string' && ENDED.has(status)) return status === 'completed' ? 'completed' : 'error'
  if (!isFinal) return 'running'
  const isFailed = stopReason === 'error' || stopReason === 'aborted' || raw.error !== undefined
  return isFailed || (asFiniteNumber(exitCode) ?? 0) !== 0 ? 'error' : 'completed'
}

const ENDED: ReadonlySet<unknown> = new Set(['completed', 'failed', 'aborted', 'cancelled', 'error'])

/** The end of an agent in the words of a notification or of another tool's result. */
interface NotifiedEnd {
  readonly agentId: string
  readonly status: 'completed' | 'error'
  readonly output?: string | undefined
}

/** Returns the ends of agents that Oh My Pi reports in a text. */
export function notifiedEnds(text: string): readonly NotifiedEnd[] {
  return Array.from(text.matchAll(TASK_RESULT), ([, head = '', body = '']) => ({
    agentId: /\bid="([^"]*)"/.exec(head)?.[1] ?? '',
    status: /\bstatus="completed"/.test(head) ? 'completed' : 'error',
    output: /<output>\n?([\s\S]*?)\n?<\/output>/.exec(body)?.[1],
  }))
}

const TASK_RESULT = /<task-result\b([^>]*)>([\s\S]*?)<\/task-result>/g

/** Returns how an agent in the background has ended, as pi-subagents reports it; undefined if the text is no such report. */
export function backgroundEnd(text: string): NotifiedEnd['status'] | undefined {
  const [, word] = /^(?:Background|Detached foreground) tasks? (completed|failed|stopped)/.exec(text) ?? []
  if (word === undefined) return undefined
  return word === 'completed' ? 'completed' : 'error'
}

/** Returns the agent's name in such a report, and the id that its file has. */
export function backgroundFile(text: string): { readonly name?: string; readonly file: string } | undefined {
  const [, runId, run] = /([^/\\\s]+)[/\\](run-\d+)[/\\]session\.jsonl/.exec(text) ?? []
  if (runId === undefined || run === undefined) return undefined
  return omitUndefined({ file: `${runId}/${run}`, name: /\*\*([^*\n]+)\*\*/.exec(text)?.[1] })
}

/** Whether the program tries again after an error, as its own rule says. */
export function isRetried(error: string): boolean {
  return BUSY.test(error) || NO_CONNECTION.test(error)
}

const BUSY =
  /overloaded|rate.?limit|too many requests|\b429\b|\b5\d\d\b|service.?unavailable|server error|internal error/i
const NO_CONNECTION = /connection|fetch failed|terminated|timed? ?out/i
