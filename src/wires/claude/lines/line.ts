import { asObject, type JsonObject } from '../../../core/json/values.ts'
import { numberedId } from '../../../core/state/numbered-id.ts'
import type { ClaudeContext } from '../context.ts'

/** A line with the fields that streams (snake case) and files (camel case) share. */
export interface Line {
  readonly raw: JsonObject
  readonly uuid: string | undefined
  readonly timestamp: string | undefined
  /** The agent that wrote the line. */
  readonly agentId: string | undefined
  /** `'main'`, the id of the agent's call, or the agent's own id while its call is unknown. */
  readonly conversationId: string
  /** The API's message: role and content. A model's message also has id, model and usage. */
  readonly message: JsonObject
  /** The parts of the message's content, or of an attached prompt. */
  readonly parts: readonly JsonObject[]
  /** The source has read this line before, for example because the stream reconnected. */
  readonly isRepeated: boolean
  /** The uuid of the line in the stream is not known. Versions up to 2.0.14 give a subagent's lines another one in the file. */
  readonly isUnnamed: boolean
}

/** Returns the line's uuid, or the next number for a line without one. */
export function lineId({ uuid }: Line, context: ClaudeContext): string {
  if (uuid !== undefined) return uuid
  const { linesWithoutUuid = 0 } = context.notes
  context.remember({ linesWithoutUuid: linesWithoutUuid + 1 })
  return numberedId(linesWithoutUuid)
}

/** Returns the tool's own record of a result, or an object without fields. The text for the model is in the message. */
export function toolUseResultOf({ raw }: Line): JsonObject {
  return asObject(raw.tool_use_result ?? raw.toolUseResult)
}

/** Returns the first of the named fields that is a string. The same fact has a snake and a camel name. */
export function firstString(raw: JsonObject, ...names: readonly string[]): string | undefined {
  for (const name of names) if (typeof raw[name] === 'string') return raw[name]
  return undefined
}
