import { asString, type JsonObject } from '../../../core/json/values.ts'
import { MAIN } from '../../../core/state/session.ts'
import type { ClaudeContext } from '../context.ts'
import { type Agent, callOfAgent, conversationOfAgent, findAgent } from './agent.ts'

/** Returns the agent of a task event. The task's id is the agent's id. If that is unknown, the call's id names the agent. */
export function agentOfTask({ task_id, tool_use_id }: JsonObject, context: ClaudeContext): Agent | undefined {
  return findAgent(callOfAgent(context, asString(task_id) ?? '') ?? asString(tool_use_id) ?? '', context)
}

/**
 * Returns the conversation that holds an agent's call: main for an agent of the first level, and the named agent's for a
 * nested one (2.1.330). Older versions do not name that agent, but the call itself is in a known conversation.
 */
export function parentOfAgent(
  { parentAgentId, depth }: { readonly parentAgentId: unknown; readonly depth: unknown },
  context: ClaudeContext,
): string | undefined {
  if (typeof parentAgentId === 'string') return conversationOfAgent(context, parentAgentId)
  return depth === 1 ? MAIN : undefined
}

/**
 * Whether a call, or its result, is a copy. The conversation of a forked agent begins with a copy of the message that calls
 * the agent, and that call belongs to the parent.
 */
export function isCopiedCall(toolUseId: string, conversationId: string, context: ClaudeContext): boolean {
  const parent = findAgent(toolUseId, context)?.parent
  if (toolUseId === conversationId) return true
  return parent !== undefined && conversationOfAgent(context, parent) !== conversationId
}
