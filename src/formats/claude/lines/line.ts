import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asObject, asString, type JsonObject } from '../../../json/values.ts'
import { MAIN } from '../../../state/session.ts'
import type { ClaudeContext } from '../context.ts'
import type { ClaudeMemory } from '../memory.ts'

/** A message as stream (snake case) and files (camel case) both have it. */
export interface Line {
  readonly raw: JsonObject
  readonly uuid?: string
  readonly timestamp?: string
  /** The agent whose conversation the message is in. */
  readonly agentId?: string
  /** `'main'`, the agent's call, or the agent's own id while its call is not known. */
  readonly conversationId: string
  /** The API's message: role, content and, of the model, id, model and usage. */
  readonly message: JsonObject
}

export function readLine(memory: ClaudeMemory, raw: JsonObject): Line {
  const agentId = asString(raw.agent_id) ?? asString(raw.agentId)
  const { uuid, timestamp, message } = raw
  return omitUndefined({
    raw,
    uuid: asString(uuid),
    timestamp: asString(timestamp),
    agentId,
    conversationId:
      asString(raw.parent_tool_use_id) ??
      (agentId === undefined ? MAIN : conversationOfAgent(memory, agentId)),
    message: asObject(message),
  })
}

/** The line's own id, or the next number for a line that has none. */
export function lineId({ uuid }: Line, translation: ClaudeContext): string {
  if (uuid !== undefined) return uuid
  const { unnamedLines } = translation.memory
  translation.remember({ unnamedLines: unnamedLines + 1 })
  return `unnamed:${unnamedLines}`
}

/** The conversation of an agent: its call's, or the agent's own id while the call is not known. */
export function conversationOfAgent(memory: ClaudeMemory, agentId: string): string {
  return memory.toolUseIds.get(agentId) ?? agentId
}

/** The tool's own record of a result, beside the text for the model; without fields where there is none. */
export function detailsOf({ raw }: Line): JsonObject {
  return asObject(raw.tool_use_result ?? raw.toolUseResult)
}

/** The first of the fields that is a string; the same fact has a snake and a camel name. */
export function textOf(raw: JsonObject, ...names: readonly string[]): string | undefined {
  for (const name of names) if (typeof raw[name] === 'string') return raw[name]
  return undefined
}
