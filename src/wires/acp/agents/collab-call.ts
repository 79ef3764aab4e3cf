import { asObject, asString, isObject } from '../../../json/values.ts'
import { agentCallItem, endOf } from '../../codex/items/agent-call.ts'
import type { AgentCallItem, AgentState } from '../../codex/items/item.ts'
import type { AcpContext } from '../context.ts'
import type { KnownCall } from '../memory.ts'
import { endAgent } from './run.ts'

/** Reads a call about the agents of Codex, whose input names their threads and states; undefined for any other call. */
export function collabItem({ id, fields, toolName }: KnownCall): AgentCallItem | undefined {
  const input = asObject(fields.rawInput)
  if (!isObject(input.agentsStates) || !Array.isArray(input.receiverThreadIds)) return undefined
  const { receiverThreadIds: receiver_thread_ids, agentsStates: agents_states, prompt, status } = input
  return agentCallItem(
    { tool: asString(fields.title) ?? toolName, receiver_thread_ids, agents_states, prompt, status },
    { id },
  )
}

/** Ends the agents that have ended in the words of a call. */
export function applyAgentStates(item: AgentCallItem, context: AcpContext): void {
  for (const state of item.states) applyState(state, context)
}

function applyState({ agentId, status, message }: AgentState, context: AcpContext): void {
  const agent = context.agentOf(agentId)
  const ended = endOf(status)
  if (agent?.run === 'running' && ended) endAgent(agent.id, { status: ended, output: message }, context)
}
