import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asFiniteNumber, asObject, asString, type JsonObject } from '../../../json/values.ts'
import { toolResultBlockId } from '../../../state/block.ts'
import { compositeKey } from '../../translation/composite-key.ts'
import { completeAgent, isCopiedCall, learnAgent, resumeAgent } from '../agents/agents.ts'
import type { ClaudeContext } from '../context.ts'
import { plainContent, texts } from '../lines/content.ts'
import type { Agent } from '../memory.ts'

/** Where a result stands, and what the program itself noted of it beside the text for the model. */
interface ResultContext {
  readonly conversationId: string
  readonly timestamp?: string
  /** The tool's own record; without fields where there is none, or it is only an error's text. */
  readonly details: JsonObject
}

/** The result of a tool call. That of an agent's call is the subagent's output, or says that it was launched. */
export function translateToolResult(
  part: JsonObject,
  context: ResultContext,
  translation: ClaudeContext,
): void {
  const toolUseId = asString(part.tool_use_id) ?? ''
  const { details } = context
  const { agents, calls } = translation.memory
  const agent = agents.get(toolUseId)
  const isOpenCall = calls.get(compositeKey(context.conversationId, toolUseId)) !== undefined
  if (!isOpenCall && (agent || isAgentResult(details))) {
    if (isCopiedCall(toolUseId, context.conversationId, translation)) return
    return translateAgentResult(part, toolUseId, context, translation)
  }
  completeCall(part, toolUseId, context, translation)
  resumeNamedAgent(toolUseId, asString(details.resumedAgentId), translation)
  // A tool that is no agent may have a conversation of its own all the same.
  if (agent) completeAgent(agent, { status: part.is_error === true ? 'error' : 'completed' }, translation)
}

/** The answer to a message that resumes an agent. A stream has told the resume before; files tell it here. */
function resumeNamedAgent(callId: string, agentId: string | undefined, translation: ClaudeContext): void {
  const { agents, toolUseIds, resumes } = translation.memory
  const agent = agentId === undefined ? undefined : agents.get(toolUseIds.get(agentId) ?? '')
  if (agent && resumes.get(callId) === undefined) resumeAgent(agent, { callId }, translation)
}

function completeCall(
  part: JsonObject,
  toolUseId: string,
  context: ResultContext,
  translation: ClaudeContext,
): void {
  const { conversationId, timestamp, details } = context
  const isError = part.is_error === true || asString(asObject(part.content).type)?.endsWith('error') === true
  const status = isError ? 'error' : 'complete'
  const { calls } = translation.memory
  const key = compositeKey(conversationId, toolUseId)
  const call = calls.get(key)
  if (call) {
    translation.upsert(call.conversationId, { ...call, status })
    translation.remember({ calls: calls.without(key) })
  }
  const durationMs = asFiniteNumber(details.durationMs)
  const output = plainContent(part.content)
  const id = toolResultBlockId(toolUseId)
  translation.upsert(
    conversationId,
    omitUndefined({ type: 'tool_result', id, status, toolUseId, output, isError, durationMs, timestamp }),
  )
}

function translateAgentResult(
  part: JsonObject,
  toolUseId: string,
  { conversationId: parent, details }: ResultContext,
  translation: ClaudeContext,
): void {
  const { agentId, prompt, agentType, description, content, totalDurationMs } = details
  const said = texts(part.content)
  const agent = learnAgent(
    omitUndefined({
      toolUseId,
      parent,
      agentId: asString(agentId) ?? agentIdIn(said),
      prompt: asString(prompt),
      name: asString(agentType),
      description: asString(description),
    }),
    translation,
  )
  const isError = part.is_error === true
  if (!isError && isLaunch(agent, details, said)) return
  const report = isError
    ? said.join('\n')
    : (texts(content).at(-1) ?? framedReport(said) ?? agent.lastText ?? said[0])
  const durationMs = asFiniteNumber(totalDurationMs) ?? durationIn(said)
  const status = isError ? 'error' : 'completed'
  completeAgent(agent, { status, runId: agent.runId, output: report, durationMs }, translation)
}

function isAgentResult({ agentId, status }: JsonObject): boolean {
  return typeof agentId === 'string' && typeof status === 'string'
}

const FRAME = '[Subagent hand-back]'

/** A background agent's call is answered at once; its report comes later. */
function isLaunch(agent: Agent, { status }: JsonObject, said: readonly string[]): boolean {
  if (typeof status === 'string') return /launched|spawned/.test(status)
  if (said[0]?.startsWith('Async agent launched')) return true
  // A call may ask for the background and be answered with the report all the same.
  return agent.isBackground === true && !said.some((text) => text.includes(FRAME))
}

function agentIdIn(said: readonly string[]): string | undefined {
  return /^agentId: ([\w-]+)/m.exec(said.join('\n'))?.[1]
}

function durationIn(said: readonly string[]): number | undefined {
  return asFiniteNumber(Number(/^duration_ms: (\d+)/m.exec(said.join('\n'))?.[1]))
}

/** The report alone: the program frames it for the model, every line indented, and adds how to go on with the agent. */
function framedReport(said: readonly string[]): string | undefined {
  const [, ...framed] = said.join('\n').split(FRAME)
  // One pattern over all of it would try each frame to the end.
  const lines = framed.join(FRAME)
  const from = lines.indexOf('\n') + 1
  const to = lines.indexOf('\nagentId: ', from)
  return from === 0 || to < 0 ? undefined : lines.slice(from, to).replace(/^ {2}/gm, '')
}
