import { isEqual } from '../../../json/equal.ts'
import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asArray, asObject, asString, isObject, type JsonObject } from '../../../json/values.ts'
import { SPAWN_AGENT } from '../../../programs/codex/tool-names.ts'
import { acpAgent } from '../../../programs/generic/program.ts'
import { subagentBlockId } from '../../../state/block.ts'
import { readAgentResult } from '../../claude/agents/agent-result.ts'
import type { AgentCallItem } from '../../codex/items/item.ts'
import { extractReport, parseTaskTag } from '../../opencode/agents/task-output.ts'
import { isFinalStatus } from '../calls/read-call.ts'
import { outputOf } from '../calls/result.ts'
import type { AcpContext } from '../context.ts'
import type { KnownCall } from '../memory.ts'
import { collabItem } from './collab-call.ts'
import { endAgent, type RunEnd } from './run.ts'

/** Whether the call starts an agent: its tool, or the fields of its input, show it. */
export function isAgentCall(call: KnownCall): boolean {
  const collab = collabItem(call)
  const input = asObject(call.fields.rawInput)
  if (collab) return collab.toolName === SPAWN_AGENT
  // A call that gives an agent a further task starts none.
  if (asString(input[acpAgent.fields.resumes])) return false
  if (acpAgent.tools.agent.includes(call.toolName)) return true
  const { prompt, subagent_type } = input
  return (
    call.fields.kind === 'think' && asString(prompt) !== undefined && asString(subagent_type) !== undefined
  )
}

/** Shows a call that starts an agent: the agent's announcement, its start and its end. */
export function showAgentCall(call: KnownCall, known: KnownCall | undefined, context: AcpContext): void {
  const collab = collabItem(call)
  if (collab) return showCollabSpawn(call, collab, context)
  const { rawInput, status } = call.fields
  const facts = spawnFacts(asObject(rawInput))
  const isStarted = facts.prompt !== undefined || status === 'in_progress' || isFinalStatus(status)
  if (!isStarted) announce(call, '', context)
  else if (isNews(call, known, context)) spawn(call, { ...facts, prompt: facts.prompt ?? '' }, context)
  if (isFinalStatus(status)) endByResult(call, status, context)
}

/** Whether the input has changed, or the agent has not started yet. */
function isNews(call: KnownCall, known: KnownCall | undefined, context: AcpContext): boolean {
  const { run } = context.agent(call.id) ?? {}
  return (run ?? 'announced') === 'announced' || !isEqual(known?.fields.rawInput, call.fields.rawInput)
}

interface SpawnFacts {
  readonly prompt?: string
  readonly description?: string
  readonly subagentType?: string
  readonly agentId?: string
}

function spawnFacts({ prompt, description, subagent_type }: JsonObject): SpawnFacts {
  return omitUndefined({
    prompt: asString(prompt),
    description: asString(description),
    subagentType: asString(subagent_type),
  })
}

/** Shows an agent that has not started yet. */
function announce({ id: toolUseId, conversationId }: KnownCall, input: string, context: AcpContext): void {
  if (context.agent(toolUseId)) return
  context.updateAgent(toolUseId, {})
  const id = subagentBlockId(toolUseId)
  context.upsert(conversationId, { type: 'subagent', id, toolUseId, status: 'pending', input })
}

function spawn(
  { id: toolUseId, conversationId }: KnownCall,
  facts: SpawnFacts & { readonly prompt: string },
  context: AcpContext,
): void {
  const known = context.agent(toolUseId)
  const run = known?.run === 'ended' ? 'ended' : 'running'
  context.updateAgent(toolUseId, omitUndefined({ run, agentId: facts.agentId }))
  context.emit({ type: 'subagent:spawned', conversationId, toolUseId, ...facts })
}

/** Ends the agent with the result of its call. An agent in the background goes on. */
function endByResult(call: KnownCall, status: 'completed' | 'failed', context: AcpContext): void {
  const end = status === 'failed' ? failureOf(call) : (taskEnd(call) ?? recordedEnd(call))
  const { isLaunch, facts, ...run } = end
  if (facts) spawn(call, facts, context)
  if (!isLaunch) return endAgent(call.id, run, context)
  context.updateAgent(call.id, omitUndefined({ agentId: run.agentId, isInBackground: true }))
  if (run.agentId !== undefined) spawn(call, { prompt: '', agentId: run.agentId }, context)
}

interface CallEnd extends RunEnd {
  readonly isLaunch?: boolean | undefined
  /** The facts of the agent, if the input of the call lacks them. */
  readonly facts?: (SpawnFacts & { readonly prompt: string }) | undefined
}

function failureOf(call: KnownCall): CallEnd {
  const output = textOf(outputOf(call))
  const { sessionId } = asObject(asObject(call.fields.rawOutput).metadata)
  return { status: 'error', output, agentId: asString(sessionId) }
}

/** Reads the framed output of OpenCode. */
function taskEnd(call: KnownCall): CallEnd | undefined {
  const output = asString(outputOf(call))
  const tag = output === undefined ? undefined : parseTaskTag(output)
  if (output === undefined || !tag) return undefined
  const isLaunch = tag.state === 'running'
  const status = tag.state === 'error' ? 'error' : 'completed'
  return { status, agentId: tag.id, isLaunch, output: isLaunch ? undefined : extractReport(output) }
}

/** Reads the result of Claude Code, or the plain text of another agent. */
function recordedEnd({ fields, response = {} }: KnownCall): CallEnd {
  const content = fields.rawOutput ?? textsOf(fields.content)
  const result = readAgentResult({ content }, response)
  const { agentId, report, text, durationMs, isLaunch } = result
  const { prompt, name: subagentType, description } = result
  const isKnown =
    subagentType === undefined || asString(asObject(fields.rawInput).subagent_type) !== undefined
  const facts = isKnown ? undefined : omitUndefined({ prompt: prompt ?? '', subagentType, description })
  const output = withoutToolList(report ?? text)
  return { status: 'completed', agentId, durationMs, isLaunch, facts, output }
}

/** The list of used tools is no part of the report. */
export function withoutToolList(report: string | undefined): string | undefined {
  return report?.replace(/^\s*<tools-used-before-summary>[^<]*<\/tools-used-before-summary>\s*/, '')
}

function textsOf(content: unknown): readonly unknown[] {
  return asArray(content).flatMap((part) => {
    const { content: inner } = asObject(part)
    return isObject(inner) ? [inner] : []
  })
}

function textOf(output: unknown): string | undefined {
  if (typeof output === 'string') return output === '' ? undefined : output
  return Array.isArray(output)
    ? output.flatMap((part) => asString(asObject(part).text) ?? []).join('\n')
    : undefined
}

/** Shows a spawn of Codex. The threads of the agents come with its end. */
function showCollabSpawn(
  call: KnownCall,
  { agentIds, prompt = '', status }: AgentCallItem,
  context: AcpContext,
): void {
  const [agentId] = agentIds
  if (agentId !== undefined) return spawn(call, { prompt, agentId }, context)
  announce(call, prompt, context)
  if (status === 'failed' || isFinalStatus(call.fields.status))
    endAgent(call.id, { status: 'error' }, context)
}
