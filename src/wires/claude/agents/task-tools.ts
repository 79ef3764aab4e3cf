import { asObject, asString, type JsonObject, parseJson } from '../../../core/json/values.ts'
import { textsIn } from '../../../programs/claude-code/texts.ts'
import type { ClaudeContext } from '../notes.ts'
import { agentOfTask, lastTextOf } from './agent.ts'
import { completeAgent, isFinalStatus, runStatus } from './agent-run.ts'

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
export function completeReportedAgents(
  part: JsonObject,
  toolUseResult: JsonObject,
  context: ClaudeContext,
): void {
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
