import { asString, type JsonObject } from '../../../json/values.ts'
import { MAIN } from '../../../state/session.ts'
import type { ClaudeContext } from '../context.ts'
import { conversationOfAgent } from '../lines/line.ts'
import type { Agent } from '../memory.ts'

/** Returns the agent of a task event. The task's id is the agent's id. If that is unknown, the call's id names the agent. */
export function agentOfTask(
  { task_id, tool_use_id }: JsonObject,
  { memory }: ClaudeContext,
): Agent | undefined {
  const toolUseId = memory.toolUseIdByAgent.get(asString(task_id) ?? '') ?? asString(tool_use_id) ?? ''
  return memory.agents.get(toolUseId)
}

/** Returns the agent's last text. */
export function lastTextOf({ toolUseId }: Agent, { memory }: ClaudeContext): string | undefined {
  return memory.lastTexts.get(toolUseId)
}

/**
 * Returns the conversation that holds an agent's call: main for an agent of the first level, and the named agent's for a
 * nested one (2.1.330). Older versions do not name that agent, but the call itself is in a known conversation.
 */
export function parentOfAgent(
  { parentAgentId, depth }: { readonly parentAgentId: unknown; readonly depth: unknown },
  { memory }: ClaudeContext,
): string | undefined {
  if (typeof parentAgentId === 'string') return conversationOfAgent(memory, parentAgentId)
  return depth === 1 ? MAIN : undefined
}

/**
 * Whether a call, or its result, is a copy. The conversation of a forked agent begins with a copy of the message that calls
 * the agent, and that call belongs to the parent.
 */
export function isCopiedCall(toolUseId: string, conversationId: string, { memory }: ClaudeContext): boolean {
  const parent = memory.agents.get(toolUseId)?.parent
  if (toolUseId === conversationId) return true
  return parent !== undefined && conversationOfAgent(memory, parent) !== conversationId
}
