import { isoTime } from '../../core/json/iso-time.ts'
import { timeInMs } from '../../core/json/lists.ts'
import {
  asArray,
  asFiniteNumber,
  asObject,
  asString,
  isObject,
  type JsonObject,
} from '../../core/json/values.ts'
import type { UserMessageBlock } from '../../core/state/block.ts'
import { type UserContentPart, userContent } from '../../core/state/content.ts'
import type { TokenUsage } from '../../core/state/session.ts'

// A stream (`--mode json`, `--mode rpc`) has the lines of one run after the other:
//   {"type":"session","version":3,"id","timestamp","cwd"}     of `json` alone
//   {"type":"message_start","message"}
//   {"type":"message_update","assistantMessageEvent":{"type":"text_delta","contentIndex","delta"},"message"?}
//   {"type":"message_end","message"}                          every message
//   {"type":"tool_execution_start|update|end","toolCallId","toolName","args","partialResult"|"result"}
//   {"type":"agent_end","messages","willRetry"?}
//   {"type":"agent_settled","aborted"?}
//   {"type":"extension_ui_request","id","method","title","options"?}   of `rpc` alone
// A file has a header and the entries of a tree:
//   {"type":"session","version":3,"id","timestamp","cwd","parentSession"?}
//   {"type":"message","id","parentId","timestamp","message"}
//   {"type":"compaction"|"branch_summary"|"custom_message"|"label"|…,"id","parentId","timestamp",…}
// The stored message is that of `message_end`, byte for byte. No message has an id, so its time in ms stands for it.

/** A line of a stream or a file, in the conversation that it belongs to. */
export interface Line {
  readonly type: string
  readonly conversationId: string
  readonly raw: JsonObject
}

/** A message of a person, the model, a tool or the program. */
export interface PiMessage {
  readonly role: string
  /** The time in ms, as a text. */
  readonly id: string
  readonly time: string | undefined
  readonly raw: JsonObject
}

/** The reply that a block belongs to. */
export interface ReplyRef {
  readonly conversationId: string
  readonly id: string
  readonly time?: string | undefined
  readonly model?: string | undefined
}

/** The place of a call. A reader that joined late does not know its reply. */
export type CallPlace = Pick<ReplyRef, 'conversationId'> & Partial<ReplyRef>

/** A call of the model. */
export interface ToolCall {
  readonly toolUseId: string
  readonly toolName: string
  readonly input: unknown
  /** The JSON of the input so far. */
  readonly inputText?: string | undefined
}

/** The result of a call, or what the tool has given so far. */
export interface CallResult {
  readonly conversationId: string
  readonly toolUseId: string
  readonly toolName: string
  readonly raw: JsonObject
  readonly isError: boolean
  readonly isFinal: boolean
  readonly time?: string | undefined
}

/** Returns the message in a value; undefined if it has no role. A message without a time has the id of its response. */
export function readMessage(value: unknown, fallbackId = ''): PiMessage | undefined {
  const raw = asObject(value)
  const { role, timestamp, responseId } = raw
  if (typeof role !== 'string') return undefined
  const id =
    asFiniteNumber(timestamp) === undefined ? (asString(responseId) ?? fallbackId) : String(timestamp)
  return { role, id, time: isoTime(timestamp), raw }
}

/** Returns the id of a message of which the program states the time as ISO 8601. */
export function idOfTime(time: unknown): string | undefined {
  const milliseconds = timeInMs(asString(time))
  return Number.isNaN(milliseconds) ? undefined : String(milliseconds)
}

/** Returns the content of a message to the model; undefined if it has none. */
export function readContent(content: unknown): UserMessageBlock['content'] | undefined {
  if (typeof content === 'string') return content
  return userContent(asArray(content).flatMap((part) => readPart(asObject(part)) ?? []))
}

function readPart({ type, text, data, mimeType }: JsonObject): UserContentPart | undefined {
  if (type === 'text' && typeof text === 'string') return { type, text }
  if (type !== 'image' || typeof data !== 'string') return undefined
  return { type, source: { type: 'base64', mediaType: asString(mimeType) ?? '', data } }
}

/** Returns the output of a tool: a single text, or the list of its parts. */
export function readOutput(content: unknown): unknown {
  const parts = asArray(content)
  const [first] = parts
  if (parts.length === 0) return asString(content) ?? ''
  return parts.length === 1 && isObject(first) && typeof first.text === 'string' ? first.text : parts
}

/** Returns all texts of a content as one. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  return asArray(content)
    .map((part) => asString(asObject(part).text) ?? '')
    .join('\n')
}

/** Returns the tokens of a reply. `input` is without those of the cache. */
export function readUsage(value: unknown): TokenUsage {
  const { input, output, cacheRead, cacheWrite, cacheWrite1h, reasoning } = asObject(value)
  const counts: [keyof TokenUsage, unknown][] = [
    ['inputTokens', input],
    ['outputTokens', output],
    ['cacheReadTokens', cacheRead],
    ['cacheWriteTokens', cacheWrite],
    ['cacheWrite1hTokens', cacheWrite1h],
    ['reasoningTokens', reasoning],
  ]
  return Object.fromEntries(counts.filter(([, count]) => asFiniteNumber(count) !== undefined))
}

/** Whether the program has counted a token. */
export function hasTokens(usage: TokenUsage): boolean {
  return Object.values(usage).some((count) => count > 0)
}
