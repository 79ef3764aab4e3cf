import { omitUndefined } from '../../../core/json/fields.ts'
import { asObject, asString, type JsonObject } from '../../../core/json/values.ts'
import type { Memory } from '../../../reading/context.ts'
import { isAgentCall, toolUseIdOf } from '../block-ids.ts'
import type { ClaudeContext } from '../notes.ts'
import { type Agent, callOfAgent, findAgent, isCopiedCall } from './agent.ts'
import { registerAgent } from './register-agent.ts'

/** Returns the content blocks of a line, and gives each agent's call without an id one. No result can name such a call. */
export function withAgentCallIds(parts: readonly JsonObject[], lineId: string): readonly JsonObject[] {
  if (!parts.some(lacksId)) return parts
  return parts.map((part, at) => (lacksId(part) ? { ...part, id: `${lineId}:${at}` } : part))
}

function lacksId(part: JsonObject): boolean {
  return isAgentCall(part) && toolUseIdOf(part) === ''
}

/** Returns the known agent that a call of `Task` resumes (2.0.60 to 2.1.70). `SendMessage` resumes agents in later versions. */
export function agentResumedBy(part: JsonObject, memory: Memory<ClaudeContext>): Agent | undefined {
  const agentId = isAgentCall(part) ? asString(asObject(part.input).resume) : undefined
  return agentId === undefined ? undefined : findAgent(callOfAgent(memory, agentId) ?? '', memory)
}

/** The message that holds a call. */
interface CallPlace {
  readonly conversationId: string
  readonly messageId: string
  readonly timestamp?: string | undefined
}

/** Registers the agent that a content block calls. */
export function registerCalledAgent(
  part: JsonObject,
  { conversationId: parent, messageId, timestamp }: CallPlace,
  context: ClaudeContext,
): void {
  const toolUseId = toolUseIdOf(part)
  if (isCopiedCall(toolUseId, parent, context)) return
  const input = asObject(part.input)
  const facts = omitUndefined({
    parent,
    prompt: asString(input.prompt),
    name: asString(input.subagent_type),
    description: asString(input.description),
    messageId,
    timestamp,
  })
  registerAgent(toolUseId, facts, context)
}
