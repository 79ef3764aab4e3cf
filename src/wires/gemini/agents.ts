import { subagentBlockId } from '../../core/state/block.ts'
import { MAIN } from '../../core/state/session.ts'
import { readAgentCall } from '../../programs/gemini/program.ts'
import { reportIn } from '../../programs/gemini/tool-result.ts'
import type { SessionOutput } from '../../reading/context.ts'
import type { AgentState, SessionLookups } from '../../reading/lookups.ts'
import { endAgent } from '../kit/abandon.ts'
import type { Call } from './messages.ts'

/** The first words of an agent's file. */
interface ChildStart {
  readonly prompt: string
  readonly time: string | undefined
}

/**
 * Shows an agent that its file shows. The call that started it is written when it has ended, and may be lost. A
 * stream has shown the call of an agent with that prompt, or else the agent's own id stands for the call.
 */
export function showChild(agentId: string, { prompt, time }: ChildStart, output: SessionOutput): void {
  if (output.state.findAgent(agentId)) return
  const called = output.state.firstAgentOfPrompt(prompt)
  const toolUseId = called?.toolUseId ?? agentId
  output.turn.noteWork(time)
  const type = 'subagent:spawned'
  output.emit({ type, conversationId: MAIN, toolUseId, agentId, prompt, timestamp: time })
}

/** A call that starts an agent. */
interface AgentCall extends Call {
  /** The agent's own id and its report, if the call has ended. */
  readonly agentId?: string | undefined
  readonly report?: string | undefined
}

/** Shows the start of an agent at its call. */
export function startAgent(conversationId: string, call: AgentCall, output: SessionOutput): void {
  const { id: toolUseId, messageId, time: timestamp } = call
  const { agentType: subagentType, prompt = '' } = readAgentCall(call.name, call.input)
  const agentId =
    call.agentId ?? (output.state.agentOfCall(toolUseId) ? undefined : unlinkedAgent(call, output.state))
  const isUnlinked = agentId !== undefined && output.state.agentOfCall(agentId) !== undefined
  // A file has the reply after the work of its agents. Their places are among its calls.
  if (isUnlinked && messageId !== undefined)
    output.emit({ type: 'block:removed', conversationId: MAIN, blockId: subagentBlockId(agentId) })
  output.emit({
    type: 'subagent:spawned',
    conversationId,
    toolUseId,
    agentId,
    formerId: isUnlinked ? agentId : undefined,
    prompt,
    subagentType,
    messageId,
    timestamp,
  })
}

/**
 * Returns the agent with the prompt of the call, if the agent's own call is not known. Two agents with the same
 * prompt differ by their reports. A reader that has missed a call does not know the prompt.
 */
function unlinkedAgent({ name, input, report }: AgentCall, state: SessionLookups): string | undefined {
  const { prompt } = readAgentCall(name, input)
  const unlinked = state.agentsIn(unlinkedGroup, UNLINKED)
  const asked = prompt === undefined ? unlinked : unlinked.filter((agent) => agent.prompt === prompt)
  return (asked.find(({ output }) => output === report) ?? asked[0])?.agentId
}

const UNLINKED = 'unlinked'
const unlinkedGroup = ({ toolUseId, agentId }: AgentState): string | undefined =>
  toolUseId === agentId ? UNLINKED : undefined

/** Ends an agent with the report in its file. */
export function endByReport(agentId: string, report: string, output: SessionOutput): void {
  const agent = output.state.findAgent(agentId)
  if (!agent || output.state.hasEnded(agentId)) return
  endAgent(agent.toolUseId, { isError: false, output: reportIn(report) }, output)
}
