import { isObject, isString } from '../../core/json/values.ts'

/** An object of JSON. */
export type JsonObject = { [key: string]: unknown }

/** The bytes of an image or file, or the place where they are. */
export type AgUiPartSource =
  | { readonly type: 'data'; readonly value: string; readonly mimeType: string }
  | { readonly type: 'url'; readonly value: string; readonly mimeType?: string }

/** A part of a person's message. */
export type AgUiContentPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly source: AgUiPartSource }
  | { readonly type: 'document'; readonly source: AgUiPartSource; readonly metadata?: JsonObject }

/** A call in a message of the assistant. `arguments` is a JSON text, which is not complete while the call streams. */
export interface AgUiToolCall {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
}

/** The fields of every message. */
interface MessageBase {
  readonly id: string
  /** The `toolUseId` of the agent whose conversation has the message. Absent for main's. */
  readonly subagentRunId?: string
  readonly metadata?: JsonObject
}

/**
 * A message of AG-UI for one block of a session:
 * - `user`, `assistant` and `reasoning` are texts. An assistant's message may be a single call instead.
 * - `system` is a message that the program wrote in the person's place. `metadata.origin` says why.
 * - `tool` is the result of a call. `metadata.isError` says whether the call failed.
 * - `activity` is any other block. `activityType` is the block's type, and `content` has its fields.
 */
export type AgUiMessage =
  | (MessageBase & { readonly role: 'user'; readonly content: string | AgUiContentPart[] })
  | (MessageBase & { readonly role: 'system' | 'reasoning'; readonly content: string })
  | (MessageBase & {
      readonly role: 'assistant'
      readonly content?: string
      readonly toolCalls?: AgUiToolCall[]
    })
  | (MessageBase & { readonly role: 'tool'; readonly toolCallId: string; readonly content: string })
  | (MessageBase & { readonly role: 'activity'; readonly activityType: string; readonly content: JsonObject })

/** Returns a tool's output as a text. A list of texts is joined, and any other value is a JSON text. */
export function outputText(output: unknown): string {
  if (isString(output)) return output
  const texts = Array.isArray(output) ? output.map(partText) : []
  if (texts.length > 0 && texts.every(isString)) return texts.join('\n')
  return JSON.stringify(output)
}

function partText(part: unknown): unknown {
  return isObject(part) && part.type === 'text' ? part.text : undefined
}
