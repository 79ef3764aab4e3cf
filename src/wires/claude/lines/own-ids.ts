import { asString, type JsonObject } from '../../../core/json/values.ts'
import { MAIN } from '../../../core/state/session.ts'
import { agentOfId, callOf, isNamed, placeCall } from '../../kit/reused-ids.ts'
import { callOfAgent, parentOfAgent } from '../agents/agent.ts'
import { isAgentCall, isCall } from '../block-ids.ts'
import type { ClaudeContext, ClaudeMemory } from '../notes.ts'

// The model may use the id of a call again. These functions put the ids of the state in the place of the model's.

/** Returns the message with the id of the agent and of the call that it names. */
export function withOwnCall(raw: JsonObject, memory: ClaudeMemory): JsonObject {
  const { parent_tool_use_id: agentCall, tool_use_id: callId, timestamp } = raw
  const time = asString(timestamp)
  const agentId = asString(raw.agent_id) ?? asString(raw.agentId)
  if (typeof agentCall === 'string')
    return { ...raw, parent_tool_use_id: agentCallOf(agentCall, { agentId, time }, memory) }
  if (typeof callId !== 'string') return raw
  const known = callOfAgent(memory, asString(raw.task_id) ?? '')
  const parent = parentOfAgent({ parentAgentId: raw.parent_task_id, depth: 1 }, memory) ?? MAIN
  return {
    ...raw,
    tool_use_id: known !== undefined && isNamed(known, callId) ? known : callOf(parent, callId, memory, time),
  }
}

/** A message that names an agent's call. */
interface CallNamer {
  readonly agentId: string | undefined
  readonly time?: string | undefined
}

/** Returns the id in the state of an agent's call. The agent may be known, or else it is the last one. */
export function agentCallOf(callId: string, { agentId, time }: CallNamer, memory: ClaudeMemory): string {
  return agentOfId(callId, { known: callOfAgent(memory, agentId ?? ''), time }, memory)
}

/** The message that holds content blocks. */
interface PartsPlace {
  readonly conversationId: string
  readonly messageId: string | undefined
  readonly timestamp?: string | undefined
}

/** Returns a content block with the id of the call that it is, or that it answers. */
export function withOwnId(part: JsonObject, place: PartsPlace, context: ClaudeContext): JsonObject {
  const { conversationId, messageId, timestamp } = place
  const { id, tool_use_id: answered } = part
  if (isCall(part) && typeof id === 'string' && messageId !== undefined) {
    const own = placeCall({ conversationId, messageId, callId: id, isAgent: isAgentCall(part) }, context)
    return own === id ? part : { ...part, id: own }
  }
  if (typeof answered !== 'string' || context.notes.values.renamedCalls.isEmpty) return part
  return { ...part, tool_use_id: callOf(conversationId, answered, context, timestamp) }
}
