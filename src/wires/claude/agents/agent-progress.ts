import { omitUndefined, withChanges } from '../../../core/json/fields.ts'
import { asObject, asString, isObject, type JsonObject } from '../../../core/json/values.ts'
import type { ClaudeContext } from '../context.ts'
import { agentCallOf } from '../lines/own-ids.ts'
import { callOfAgent, conversationOfAgent, findAgent } from './agent.ts'
import { linkAgent } from './register-agent.ts'

/** The progress of tools that run an agent. Each line of progress holds one whole message of the agent. */
const AGENT_PROGRESS: ReadonlySet<unknown> = new Set(['agent_progress', 'skill_progress'])

/**
 * Returns the agent's message that a `progress` line of main's file holds (2.1.17 to 2.1.49), as a line of that agent. Any
 * other line stays as it is. The message has the uuid of its line in the agent's own file, if the session has that file.
 */
export function unwrapAgentProgress(raw: JsonObject, context: ClaudeContext): JsonObject {
  if (raw.type !== 'progress') return raw
  const { type, agentId, message } = asObject(raw.data)
  const named = asString(raw.parentToolUseID)
  if (!AGENT_PROGRESS.has(type) || !isObject(message) || named === undefined) return raw
  const id = asString(agentId)
  const callId = agentCallOf(named, { agentId: id, time: asString(raw.timestamp) }, context)
  if (id !== undefined) linkAgentOfProgress(id, callId, context)
  const line = withChanges(message, {
    isSidechain: true,
    timestamp: message.timestamp ?? raw.timestamp,
    agentId: id,
    parent_tool_use_id: id === undefined ? callId : conversationOfAgent(context, id),
  })
  return omitUndefined(line)
}

/** Links the agent to its call before the call's result does. A resumed agent stays with its first call. */
function linkAgentOfProgress(agentId: string, toolUseId: string, context: ClaudeContext): void {
  if (callOfAgent(context, agentId) === undefined && findAgent(toolUseId, context)?.agentId === undefined)
    linkAgent({ agentId, toolUseId }, context)
}
