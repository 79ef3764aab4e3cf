import { omitUndefined } from '../../core/json/fields.ts'
import { assertNever, isString } from '../../core/json/values.ts'
import type { BlockOf, CallBlock, ConversationBlock } from '../../core/state/block.ts'
import type { FileSource, UserContentPart } from '../../core/state/content.ts'
import { MAIN, type SessionConversationState } from '../../core/state/session.ts'
import { isFinal } from '../../core/state/subagent.ts'
import { attribution, sessionWideId } from '../../wires/ag-ui/ids.ts'
import type { JsonObject } from '../../wires/ag-ui/message.ts'
import {
  type AgUiContentPart,
  type AgUiMessage,
  type AgUiPartSource,
  outputText,
} from '../../wires/ag-ui/message.ts'
import { allPairs, callOf, type Pairs } from './calls.ts'

/** Returns the messages of a session: main's in order, then those of each agent. The result of a call follows the call. */
export function toAgUiMessages(state: SessionConversationState): AgUiMessage[] {
  return [
    ...threadMessages(state.blocks, MAIN),
    ...state.subagents.flatMap(({ toolUseId, blocks }) => threadMessages(blocks, toolUseId)),
  ]
}

function threadMessages(blocks: readonly ConversationBlock[], conversationId: string): AgUiMessage[] {
  const pairs = allPairs(blocks)
  return blocks.flatMap((block) => {
    const { own, result } = blockMessages(block, conversationId, pairs)
    return [own, result].filter((message) => message !== undefined)
  })
}

/** The messages of a block. Both are absent for a result, because its message is at the call. */
interface BlockMessages {
  readonly own?: AgUiMessage
  /** The result of the call that `own` is. It follows `own`. */
  readonly result?: AgUiMessage
}

/** Returns the messages of a block. The result of a call is at the call, so its own place is empty. */
function blockMessages(block: ConversationBlock, conversationId: string, pairs: Pairs): BlockMessages {
  switch (block.type) {
    case 'user_message':
    case 'assistant_text':
    case 'thinking':
      return { own: textMessage(block, conversationId) }
    case 'tool_use': {
      if (pairs.call(block) !== block) return { own: activity(block, conversationId) }
      const result = pairs.result(block)
      return {
        own: callMessage(block, conversationId),
        ...(result && result.status !== 'pending' && { result: resultMessage(result, conversationId) }),
      }
    }
    case 'tool_result':
      return isPaired(block, pairs) ? {} : { own: activity(block, conversationId) }
    case 'subagent':
      if (pairs.call(block) !== block) return { own: activity(block, conversationId) }
      return { own: callMessage(block, conversationId), ...agentResult(block, conversationId) }
    case 'request':
    case 'system':
    case 'error':
    case 'skill_load':
      return { own: activity(block, conversationId) }
    default:
      return assertNever(block)
  }
}

/** Whether the result is at its call. */
export function isPaired(block: BlockOf<'tool_result'>, pairs: Pairs): boolean {
  return pairs.result(block) === block && pairs.call(block)?.type === 'tool_use'
}

/** Returns the message of a text. */
export function textMessage(
  block: BlockOf<'user_message' | 'assistant_text' | 'thinking'>,
  conversationId: string,
): TextMessage {
  const base = baseOf(block.id, conversationId)
  if (block.type === 'assistant_text') return { role: 'assistant', ...base, content: block.content }
  if (block.type === 'thinking')
    return { role: 'reasoning', ...base, content: block.content, ...metadata({ redacted: block.redacted }) }
  const { origin, content } = block
  if (origin === undefined) return { role: 'user', ...base, content: userContent(content) }
  return { role: 'system', ...base, content: textOf(content), ...metadata({ origin }) }
}

/** Returns the message that is a single call. */
function callMessage(block: CallBlock, conversationId: string): AgUiMessage {
  const { id, name, text } = callOf(block, conversationId)
  return {
    role: 'assistant',
    ...baseOf(block.id, conversationId),
    toolCalls: [{ id, type: 'function', function: { name, arguments: text } }],
  }
}

/** Returns the message of a tool's result. */
export function resultMessage(block: BlockOf<'tool_result'>, conversationId: string): ToolMessage {
  const { id, toolUseId, output, isError, durationMs, status } = block
  const isCut = status === 'error' && !isError
  return {
    role: 'tool',
    ...baseOf(id, conversationId),
    toolCallId: sessionWideId(conversationId, toolUseId),
    content: outputText(output),
    ...metadata({ isError: isError || undefined, isCut: isCut || undefined, durationMs }),
  }
}

/** Returns the message of an agent's output, once there is one or the agent has ended. */
export function agentResult(
  block: BlockOf<'subagent'>,
  conversationId: string,
): { readonly result?: ToolMessage } {
  const { id, status, toolUseId, output, durationMs } = block
  if (output === undefined && !isFinal(status)) return {}
  return {
    result: {
      role: 'tool',
      ...baseOf(`${id}:result`, conversationId),
      toolCallId: sessionWideId(conversationId, toolUseId),
      content: output ?? '',
      ...metadata({ isError: status === 'error' || undefined, durationMs }),
    },
  }
}

/** Returns the message of a block that AG-UI has no own kind for. */
export function activity(block: ConversationBlock, conversationId: string): ActivityMessage {
  const { id, conversationId: _, type, ...content } = block
  return {
    role: 'activity',
    ...baseOf(id, conversationId),
    activityType: type,
    content: omitUndefined(content),
  }
}

/** A message that is a text. */
export type TextMessage =
  | Extract<AgUiMessage, { readonly role: 'user' | 'system' | 'reasoning' }>
  | AssistantText

interface AssistantText {
  readonly id: string
  readonly role: 'assistant'
  readonly content: string
  readonly subagentRunId?: string
  readonly metadata?: JsonObject
}

/** A message of a result. */
export type ToolMessage = Extract<AgUiMessage, { readonly role: 'tool' }>

/** A message of any other block. */
type ActivityMessage = Extract<AgUiMessage, { readonly role: 'activity' }>

function baseOf(id: string, conversationId: string) {
  return { id: sessionWideId(conversationId, id), ...attribution(conversationId) }
}

function metadata(facts: JsonObject): { readonly metadata?: JsonObject } {
  const known = omitUndefined(facts)
  return Object.keys(known).length === 0 ? {} : { metadata: known }
}

/** Returns a message's content: a string if all of it is text. */
function userContent(content: BlockOf<'user_message'>['content']): string | AgUiContentPart[] {
  if (isString(content)) return content
  return content.every(({ type }) => type === 'text') ? textOf(content) : content.map(partOf)
}

/** Returns the texts of a message. */
export function textOf(content: BlockOf<'user_message'>['content']): string {
  if (isString(content)) return content
  return content.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n')
}

function partOf(part: UserContentPart): AgUiContentPart {
  if (part.type === 'text') return part
  const source = sourceOf(part.source)
  if (part.type === 'image') return { type: 'image', source }
  return { type: 'document', source, ...(part.name !== undefined && { metadata: { name: part.name } }) }
}

function sourceOf(source: FileSource): AgUiPartSource {
  if (source.type === 'base64') return { type: 'data', value: source.data, mimeType: source.mediaType }
  const { url: value, mediaType: mimeType } = source
  return mimeType === undefined ? { type: 'url', value } : { type: 'url', value, mimeType }
}
