import { asFiniteNumber, asObject, asString } from '../../core/json/values.ts'
import { isModelText } from '../../core/state/block.ts'
import { MAIN } from '../../core/state/session.ts'
import { isFinal } from '../../core/state/subagent.ts'
import { agentEndIn, launchedIdIn } from '../../programs/qwen/tool-result.ts'
import type { Memory, SessionOutput } from '../../reading/context.ts'
import type { AgentState, SessionLookups } from '../../reading/lookups.ts'
import { endAbandonedAgents, endAgent } from '../kit/abandon.ts'
import type { AgentMeta, Call, CallResult } from './messages.ts'
import type { QwenContext } from './notes.ts'

/** Shows the start of an agent at its call. */
export function startAgent(
  conversationId: string,
  { id: toolUseId, input, messageId, time: timestamp }: Call & { readonly messageId: string },
  output: SessionOutput,
): void {
  const { prompt, subagent_type, description } = asObject(input)
  const names = { subagentType: asString(subagent_type), description: asString(description) }
  const facts = { prompt: asString(prompt) ?? '', ...names, messageId, timestamp }
  output.emit({ type: 'subagent:spawned', conversationId, toolUseId, ...facts })
}

interface AgentFacts {
  readonly agentId?: string | undefined
  readonly prompt?: string
  readonly subagentType?: string | undefined
  readonly description?: string | undefined
}

/** Adds facts to an agent, which begins with them if it is not known. */
export function describeAgent(toolUseId: string, facts: AgentFacts, output: SessionOutput): void {
  const { prompt = '' } = output.state.agentOfCall(toolUseId) ?? {}
  const conversationId = output.state.conversationOfCall(toolUseId) ?? MAIN
  output.emit({ type: 'subagent:spawned', conversationId, toolUseId, prompt, ...facts })
}

/** Shows an agent of which a line was the first, if its call is not known. */
export function findOrStartAgent(toolUseId: string, prompt: string, output: SessionOutput): void {
  if (!output.state.agentOfCall(toolUseId)) describeAgent(toolUseId, { prompt }, output)
}

/** Links an agent to its call by the facts in its own file, which also name the agent that started it. */
export function registerAgent({ agentId, meta }: AgentMeta, context: QwenContext): void {
  const { agentType, description, toolUseId = agentId, parentAgentId, status } = meta
  const call = asString(toolUseId) ?? agentId
  if (asString(status) !== undefined && status !== 'running')
    context.notes.setEntry('ends', call, String(status))
  const known = context.state.agentOfCall(call)
  const names = { subagentType: asString(agentType), description: asString(description) }
  if (known?.agentId === agentId) return
  const parent = asString(parentAgentId)
  const conversationId = parent === undefined ? MAIN : conversationOf(parent, undefined, context)
  const prompt = known?.prompt ?? ''
  context.emit({ type: 'subagent:spawned', conversationId, toolUseId: call, agentId, prompt, ...names })
}

/** Returns the conversation of an agent by the agent's own id, `<type>-<call>`. */
export function conversationOf(agentId: string, name: string | undefined, output: SessionOutput): string {
  const known = output.state.findAgent(agentId)
  if (known) return known.toolUseId
  const called = callInId(agentId, output.state)
  const rest = name !== undefined && agentId.startsWith(`${name}-`) ? agentId.slice(name.length + 1) : agentId
  const toolUseId = called?.toolUseId ?? rest
  describeAgent(toolUseId, { agentId, subagentType: name }, output)
  return toolUseId
}

/** Returns the first agent whose call ends the id `<type>-<call>`. A type and a call may have hyphens. */
function callInId(agentId: string, state: SessionLookups): AgentState | undefined {
  const ends = Array.from(agentId.matchAll(/-/g), ({ index }) => agentId.slice(index + 1))
  const [called, ...others] = ends.flatMap((end) => state.agentOfCall(end) ?? [])
  return others.length === 0
    ? called
    : state.agents().find(({ toolUseId }) => agentId.endsWith(`-${toolUseId}`))
}

/** Translates the result of a call that started an agent. An agent in the background goes on. */
export function endCallOfAgent(result: CallResult, context: QwenContext): void {
  const { id, output, isError, record, time } = result
  const text = asString(output) ?? ''
  const launchedId = launchedIdIn(text)
  if (launchedId !== undefined) {
    context.notes.setEntry('background', id, true)
    if (context.state.agentOfCall(id)?.agentId === undefined)
      describeAgent(id, { agentId: launchedId }, context)
    return
  }
  const end = agentEndIn(text, record)
  const durationMs = asFiniteNumber(asObject(record.executionSummary).totalDurationMs)
  endAgent(id, { isError: isError || end.isError, output: text, durationMs, timestamp: time }, context)
}

/** Returns the call of the agent in the foreground that has begun last and runs. */
export function foregroundAgent(memory: Memory<QwenContext>): string | undefined {
  for (const { toolUseId, status } of memory.state.openAgentsFromEnd())
    if (!isFinal(status) && !memory.notes.values.background.get(toolUseId)) return toolUseId
  return undefined
}

/** Ends the agents of a process that is gone. Their texts are complete. */
export function endLeftAgents(output: SessionOutput): void {
  for (const toolUseId of output.state.runningAgents()) completeTexts(toolUseId, output)
  endAbandonedAgents(output)
}

/** Completes the texts that an agent has not finished: the words are there. */
function completeTexts(toolUseId: string, output: SessionOutput): void {
  for (const block of [...output.state.pendingBlocks(toolUseId)])
    if (isModelText(block)) output.upsert(toolUseId, { ...block, status: 'complete' })
}

/** Ends the agents whose end stands in their own facts alone: the program was stopped. */
export function endByFacts(context: QwenContext): void {
  for (const [toolUseId, status] of context.notes.values.ends.entries())
    if (context.state.agentOfCall(toolUseId) && !context.state.hasEnded(toolUseId))
      endAgent(toolUseId, { isError: status !== 'completed' }, context)
}
