import { asObject, asString, isString } from '../../core/json/values.ts'
import { type ConversationBlock, subagentBlockId, toolResultBlockId } from '../../core/state/block.ts'
import { MAIN } from '../../core/state/session.ts'
import { copilot } from '../../programs/copilot/program.ts'
import { launchedAgent } from '../../programs/copilot/tool-result.ts'
import type { Memory, SessionOutput } from '../../reading/context.ts'
import type { SessionLookups } from '../../reading/lookups.ts'
import { agentOfId } from '../kit/reused-ids.ts'
import type { CopilotEvent, Data } from './messages.ts'
import type { CopilotContext } from './notes.ts'
import { type EventPlace, isBeforeLast, showWork } from './turn.ts'

/** Returns the conversation of an event. An agent whose start the input lacks has its own id until its end names the call. */
export function conversationOf(
  { agentId, time }: Pick<CopilotEvent, 'agentId' | 'time'>,
  memory: Memory<CopilotContext>,
): string {
  if (agentId === undefined) return MAIN
  return memory.state.findAgent(agentOfId(agentId, { time }, memory))?.toolUseId ?? agentId
}

/** Returns the agent's own id. Before 1.0.102, it was that of its call. */
function ownIdOf({ agentId }: CopilotEvent, toolUseId: string): string | undefined {
  return agentId === toolUseId ? undefined : agentId
}

/** Whether a call of the tool starts an agent. */
export function isAgentTool(toolName: string): boolean {
  return copilot.tools.agent.includes(toolName)
}

/** A call that starts an agent. */
interface AgentCall {
  readonly toolUseId: string
  readonly input: unknown
  /** The beginning of an input that streams. */
  readonly inputText?: string
  readonly messageId?: string | undefined
}

/** Shows a call that starts an agent. */
export function announceAgent(
  { event, conversationId }: EventPlace,
  { toolUseId, input, inputText, messageId }: AgentCall,
  output: SessionOutput,
): void {
  if (output.state.agentOfCall(toolUseId) && !output.state.isAnnounced(toolUseId)) return
  const { prompt, agent_type, description } = asObject(input)
  const facts = { name: asString(agent_type), description: asString(description), inputText, messageId }
  const id = subagentBlockId(toolUseId)
  const call = { toolUseId, input: asString(prompt) ?? '', ...facts, timestamp: event.time }
  output.upsert(conversationId, { type: 'subagent', id, status: 'pending', ...call })
}

/** Starts an agent. All its events have its id. */
export function startAgent(
  { event }: EventPlace,
  { toolCallId: toolUseId, agentName, agentType, agentDescription, parentId }: Data<'subagent.started'>,
  context: CopilotContext,
): void {
  const agentId = ownIdOf(event, toolUseId)
  const known = context.state.agentOfCall(toolUseId)
  if (known && known.agentId === agentId && !context.state.isAnnounced(toolUseId)) return
  const parent = conversationOf({ agentId: parentId, time: event.time }, context)
  const conversationId = context.state.conversationOfCall(toolUseId) ?? parent
  showWork({ event, conversationId }, context)
  context.emit({
    type: 'subagent:spawned',
    conversationId,
    toolUseId,
    prompt: known?.prompt ?? '',
    subagentType: agentName,
    // Before 1.0.102, it describes the type and not the task.
    description: agentType === undefined ? undefined : agentDescription,
    agentId,
    timestamp: event.time,
  })
}

/** Adds the prompt of an agent whose call is not known. */
export function addAgentPrompt(toolUseId: string, prompt: string, output: SessionOutput): void {
  const { prompt: known, parentConversationId: conversationId } = output.state.findAgent(toolUseId) ?? {}
  if (known !== undefined) return
  if (conversationId !== undefined)
    return output.emit({ type: 'subagent:spawned', conversationId, toolUseId, prompt })
  output.continueConversation(toolUseId)
  output.emit({ type: 'subagent:resumed', toolUseId, prompt })
}

/** Ends an agent with its last text as its report. */
export function endAgent(
  { event, conversationId }: EventPlace,
  {
    toolCallId: toolUseId,
    isError,
    error,
    durationMs,
  }: { readonly isError: boolean; readonly error?: string } & Data<'subagent.completed'>,
  session: SessionOutput,
): void {
  if (session.state.hasEnded(toolUseId)) return
  const isKnown = session.state.agentOfCall(toolUseId) !== undefined
  const agentId = isKnown ? undefined : ownIdOf(event, toolUseId)
  const text = isError
    ? undefined
    : lastText(agentId === undefined ? toolUseId : conversationId, session.state)
  const report = isKnown ? undefined : takeReport(toolUseId, agentId, session)
  const output = error ?? text ?? report
  const status = isError ? 'error' : 'completed'
  const end = { toolUseId, agentId, status, output, durationMs } as const
  session.emit({ type: 'subagent:completed', ...end })
}

/** Makes the result of a call that was not known to start an agent the report of the agent. */
function takeReport(
  toolUseId: string,
  agentId: string | undefined,
  session: SessionOutput,
): string | undefined {
  const blockId = toolResultBlockId(toolUseId)
  const conversationId = session.state.conversationOfBlock(blockId)
  if (conversationId === undefined) return undefined
  const result = session.state.findBlock(conversationId, blockId)
  session.emit({ type: 'block:removed', conversationId, blockId })
  session.emit({ type: 'subagent:spawned', conversationId, toolUseId, prompt: '', agentId })
  const output = result?.type === 'tool_result' ? result.output : undefined
  return isString(output) && launchedAgent(output) === undefined ? output : undefined
}

/** Translates the result of a call that starts an agent: its report, why it failed, or that it runs in the background. */
export function endAgentCall(
  toolUseId: string,
  { isError, report }: { readonly isError: boolean; readonly report: string },
  output: SessionOutput,
): void {
  if (output.state.hasEnded(toolUseId)) return
  const agentId = isError ? undefined : launchedAgent(report)
  if (agentId === undefined) {
    const status = isError ? 'error' : 'completed'
    return output.emit({ type: 'subagent:completed', toolUseId, status, output: report })
  }
  if (!output.state.isAnnounced(toolUseId)) return
  const conversationId = output.state.conversationOfCall(toolUseId) ?? MAIN
  const { prompt = '' } = output.state.agentOfCall(toolUseId) ?? {}
  output.emit({ type: 'subagent:spawned', conversationId, toolUseId, prompt, agentId })
}

/** Ends the further run of an agent with a reply without calls. */
export function endFurtherRun(place: EventPlace, session: SessionOutput): void {
  const { conversationId: toolUseId } = place
  const { runId } = session.state.findAgent(toolUseId) ?? {}
  const output = lastText(toolUseId, session.state)
  if (runId === undefined || output === undefined || session.state.hasEnded(toolUseId)) return
  if (isBeforeLast(place, session.state)) return
  session.emit({ type: 'subagent:completed', toolUseId, runId, status: 'completed', output })
}

/** Returns the text of the last reply, if it has no calls. */
function lastText(conversationId: string, state: SessionLookups): string | undefined {
  const last = state.blocksOf(conversationId).findLast(isContent)
  return last?.type === 'assistant_text' ? last.content : undefined
}

function isContent({ type }: ConversationBlock): boolean {
  return type !== 'system' && type !== 'request'
}
