import type { EventOf } from '../../core/events/event.ts'
import type { AllowUndefined } from '../../core/json/fields.ts'
import { asArray, asFiniteNumber, asObject, asString, type JsonObject } from '../../core/json/values.ts'
import {
  type BlockOf,
  type ConversationBlock,
  messageIdOf,
  subagentBlockId,
  toolResultBlockId,
} from '../../core/state/block.ts'
import { MAIN } from '../../core/state/session.ts'
import { AGENT, AGENT_SWARM } from '../../programs/kimi/program.ts'
import { readAgentReport, readSwarm, swarmPrompt } from '../../programs/kimi/results.ts'
import type { Memory, SessionOutput } from '../../reading/context.ts'
import type { SessionLookups } from '../../reading/lookups.ts'
import { show } from '../kit/blocks.ts'
import type { KimiEvent } from './messages.ts'
import type { KimiContext } from './notes.ts'
import { firstPrompt } from './waiting.ts'

/** Whether the call starts an agent. A call that resumes one is an ordinary call. */
export function startsAgent(toolName: string, input: unknown): boolean {
  return toolName === AGENT && !asString(asObject(input).resume)
}

interface AgentCall {
  readonly toolUseId: string
  readonly input: JsonObject
  readonly messageId?: string | undefined
  /** The arguments so far, while they stream. */
  readonly inputText?: string | undefined
  readonly timestamp?: string | undefined
}

/** Shows the call of an agent that has not started. */
export function announceAgent(
  conversationId: string,
  { input, ...call }: AgentCall,
  output: SessionOutput,
): void {
  const { toolUseId } = call
  if (output.state.agentOfCall(toolUseId) && !output.state.isAnnounced(toolUseId)) return
  show(
    conversationId,
    {
      type: 'subagent',
      id: subagentBlockId(toolUseId),
      status: 'pending',
      toolUseId,
      messageId: call.messageId,
      inputText: call.inputText,
      input: asString(input.prompt) ?? '',
      name: asString(input.subagent_type),
      description: asString(input.description),
      timestamp: call.timestamp,
    },
    output,
  )
}

/** Starts an agent, or a further run of a known one. */
export function spawnAgent({ fields, time }: KimiEvent, conversationId: string, context: KimiContext): void {
  const agentId = asString(fields.subagentId)
  const callId = asString(fields.parentToolCallId)
  if (agentId === undefined || agentId === MAIN || callId === undefined) return
  const parentId = context.conversationOf(asString(fields.parentAgentId) ?? '') ?? conversationId
  const known = context.state.findAgent(agentId)
  const call = context.state.findBlock(parentId, callId)
  const isOfGroup =
    call?.type === 'tool_use' || fields.swarmIndex !== undefined || isTaken(callId, context.state)
  // An agent whose call was not known has stood for it.
  const isUnlinked = known?.toolUseId === agentId && known.launchedBy === undefined && !isOfGroup
  // Such an agent stays where it is: an agent has one parent.
  if (isUnlinked && parentId !== known.parentConversationId) return
  if (known && !isUnlinked) return resumeAgent(known.toolUseId, { parentId, callId, time }, context)
  const announced = context.state.findBlock(parentId, subagentBlockId(callId))
  const input = call?.type === 'tool_use' ? asObject(call.input) : {}
  const item = asArray(input.items)[(asFiniteNumber(fields.swarmIndex) ?? 0) - 1]
  startAgent(
    parentId,
    {
      toolUseId: isOfGroup ? agentId : callId,
      agentId,
      formerId: isUnlinked ? agentId : undefined,
      prompt: announced?.type === 'subagent' ? announced.input : (swarmPrompt(input, item) ?? ''),
      subagentType: asString(fields.subagentName),
      description: asString(fields.description),
      runId: callId,
      launchedBy: isOfGroup ? callId : undefined,
      messageId: call && messageIdOf(call),
      timestamp: time,
    },
    context,
  )
}

/** Whether another agent has the call. */
function isTaken(callId: string, state: SessionLookups): boolean {
  return state.agentOfCall(callId)?.agentId !== undefined
}

type AgentStart = Omit<EventOf<'subagent:spawned'>, 'type' | 'conversationId'> & { readonly agentId: string }

function startAgent(conversationId: string, start: AllowUndefined<AgentStart>, context: KimiContext): void {
  context.emit({ type: 'subagent:spawned', conversationId, ...start })
  context.linked.push(start.agentId)
}

interface Resumption {
  readonly parentId: string
  readonly callId: string
  readonly time?: string | undefined
}

/** Runs an agent again for another call. The call of an earlier run comes again. */
function resumeAgent(
  toolUseId: string,
  { parentId, callId: runId, time: timestamp }: Resumption,
  output: SessionOutput,
): void {
  const isRepeated =
    runId === output.state.agentOfCall(toolUseId)?.runId ||
    output.state.findBlock(parentId, toolResultBlockId(runId))
  if (isRepeated || runId === toolUseId) return output.continueConversation(toolUseId)
  output.emit({ type: 'subagent:resumed', toolUseId, runId, timestamp })
}

/** Reads the end of an agent's run. */
export function endAgent({ type, fields }: KimiEvent, conversationId: string, context: KimiContext): void {
  const agentId = asString(fields.subagentId)
  if (agentId === undefined || agentId === MAIN) return
  // The input lacks the agent's start.
  if (!context.state.findAgent(agentId))
    startAgent(conversationId, { toolUseId: agentId, agentId, prompt: '' }, context)
  const isError = type !== 'subagent.completed'
  const output = asString(isError ? fields.error : fields.resultSummary)
  completeAgent(context.conversationOf(agentId) ?? agentId, { isError, output }, context)
}

interface AgentEnd {
  readonly isError: boolean
  readonly agentId?: string | undefined
  readonly output?: string | undefined
  readonly durationMs?: number | undefined
}

/**
 * Ends the run of an agent, unless an earlier message has ended it. The end of a process has no reports: if it comes
 * again, those of the next one follow.
 */
function completeAgent(toolUseId: string, { isError, ...end }: AgentEnd, output: SessionOutput): void {
  const isReport = end.output !== undefined && output.state.findAgent(toolUseId)?.output === undefined
  if (output.state.hasEnded(toolUseId) && !isReport) return
  const status = isError ? 'error' : 'completed'
  output.emit({ type: 'subagent:completed', toolUseId, status, ...end })
}

/** Reads the end of a task in the background. A lost or stopped one has failed. */
export function endTask(info: JsonObject, output: unknown, context: KimiContext): void {
  const toolUseId = context.conversationOf(asString(info.agentId) ?? '')
  if (toolUseId !== undefined && toolUseId !== MAIN)
    completeAgent(toolUseId, { isError: info.status !== 'completed', output: asString(output) }, context)
}

/** The result of a call. */
export interface CallResult {
  readonly toolUseId: string
  readonly output: unknown
  readonly isError: boolean
  readonly durationMs?: number | undefined
  readonly timestamp?: string | undefined
}

/** Links the agent that the result of its call names. Some versions write no line for the start of an agent. */
export function linkByResult(
  conversationId: string,
  { toolUseId, text }: { readonly toolUseId: string; readonly text: string },
  context: KimiContext,
): void {
  const known = context.state.agentOfCall(toolUseId)
  if (known?.parentConversationId !== conversationId) return
  const { agentId, agentType: subagentType } = readAgentReport(text)
  const { prompt = '', name } = known
  if (agentId !== undefined && (known.agentId === undefined || name === undefined))
    startAgent(conversationId, { toolUseId, agentId, prompt, subagentType }, context)
}

/** Ends the agent of a call with the result, unless the agent works in the background. Only the result has the duration. */
export function endAgentCall(
  { toolUseId, text, isError, durationMs }: CallResult & { readonly text: string },
  session: SessionOutput,
): void {
  const { isLaunch, report: output, ...result } = readAgentReport(text)
  if (isLaunch) return
  completeAgent(toolUseId, { isError: isError || result.isError, output, durationMs }, session)
  const known = session.state.agentOfCall(toolUseId)
  if (
    durationMs === undefined ||
    !known ||
    known.durationMs !== undefined ||
    !session.state.hasEnded(toolUseId)
  )
    return
  const status = known.status === 'error' ? 'error' : 'completed'
  const end = { toolUseId, status, output: known.output, durationMs } as const
  session.emit({ type: 'subagent:completed', ...end })
}

/** Reads the agents in the result of a call that started or resumed some. Most often other events have shown them. */
export function endSwarm(
  conversationId: string,
  { call, text }: { readonly call: BlockOf<'tool_use'>; readonly text: string },
  context: KimiContext,
): void {
  const { toolName, toolUseId, timestamp } = call
  const input = asObject(call.input)
  if (toolName === AGENT) {
    const { agentId = asString(input.resume) ?? '', isLaunch, isError, report } = readAgentReport(text)
    const resumed = context.conversationOf(agentId)
    if (resumed && resumed !== MAIN && !isLaunch) completeAgent(resumed, { isError, output: report }, context)
  }
  if (toolName !== AGENT_SWARM) return
  const subagentType = asString(input.subagent_type)
  for (const { agentId, item, isError, report: output } of readSwarm(text)) {
    if (agentId === '' || agentId === MAIN) continue
    const prompt = swarmPrompt(input, item) ?? ''
    const start = { toolUseId: agentId, agentId, prompt, subagentType, launchedBy: toolUseId, timestamp }
    if (!context.state.findAgent(agentId)) startAgent(conversationId, start, context)
    completeAgent(context.conversationOf(agentId) ?? agentId, { isError, output }, context)
  }
}

/** Shows an agent that no message links to a call, at the end of the input. Returns whether it has no call. */
export function startUnlinkedAgent(agentId: string, context: KimiContext): boolean {
  if (!context.state.findAgent(agentId)) linkByPrompt(agentId, context)
  if (context.state.findAgent(agentId)) return false
  startAgent(MAIN, { toolUseId: agentId, agentId, prompt: '' }, context)
  return true
}

/**
 * Links an agent that works to the call with its prompt. Some versions write no line for the start of an agent, and
 * others write it before the first step. Agents with one prompt start in the order of their calls.
 */
export function linkByPrompt(agentId: string, context: KimiContext): void {
  const prompt = firstPrompt(agentId, context.notes.values.buffered)
  if (prompt === undefined) return
  let before = context.waiting.countBefore(agentId, prompt, context.notes.values.buffered)
  const announced = context.state.firstAgentOfPrompt(prompt, () => before-- === 0)
  const { toolUseId, parentConversationId = MAIN } = announced ?? {}
  if (toolUseId !== undefined)
    return startAgent(parentConversationId, { toolUseId, agentId, prompt, runId: toolUseId }, context)
  const block = swarmOf(prompt, context)
  if (!block) return
  const start = { toolUseId: agentId, agentId, prompt, launchedBy: block.toolUseId }
  const subagentType = asString(asObject(block.input).subagent_type)
  startAgent(block.conversationId, { ...start, subagentType }, context)
}

/** Returns the open call that starts an agent with the prompt beside others. */
function swarmOf(prompt: string, { state }: Memory<KimiContext>): BlockOf<'tool_use'> | undefined {
  const isFound = (block: ConversationBlock) =>
    block.type === 'tool_use' && block.toolName === AGENT_SWARM && promptsOf(block.input).has(prompt)
  const inMain = state.firstPendingBlock(MAIN, isFound)
  if (inMain?.type === 'tool_use') return inMain
  for (const { toolUseId } of state.agents()) {
    const block = state.firstPendingBlock(toolUseId, isFound)
    if (block?.type === 'tool_use') return block
  }
  return undefined
}

/** By the input of a call, which never changes. A call may start thousands of agents. */
const swarmPrompts = new WeakMap<object, ReadonlySet<string | undefined>>()

function promptsOf(value: unknown): ReadonlySet<string | undefined> {
  const input = asObject(value)
  const known = swarmPrompts.get(input)
  if (known) return known
  const prompts = new Set(asArray(input.items).map((item) => swarmPrompt(input, item)))
  swarmPrompts.set(input, prompts)
  return prompts
}
