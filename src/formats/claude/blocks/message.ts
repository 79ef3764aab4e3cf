import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asFiniteNumber, asString, type JsonObject } from '../../../json/values.ts'
import type { TokenUsage } from '../../../state/session.ts'
import { compositeKey } from '../../translation/composite-key.ts'
import type { ClaudeContext } from '../context.ts'
import type { MessageBlock, ModelMessage } from '../memory.ts'
import { blockIdOf } from './model-block.ts'

/** Names a model message: message ids are unique within a conversation only. */
export interface MessageRef {
  readonly conversationId: string
  readonly messageId: string
}

const NEW_MESSAGE: ModelMessage = { streamed: [], wholeEnd: 0, isUsageFinal: false }

export function messageOf(
  { conversationId, messageId }: MessageRef,
  { memory }: ClaudeContext,
): ModelMessage {
  return memory.messages.get(compositeKey(conversationId, messageId)) ?? NEW_MESSAGE
}

export function rememberMessage(ref: MessageRef, message: ModelMessage, translation: ClaudeContext): void {
  const { messages } = translation.memory
  translation.remember({ messages: messages.with(compositeKey(ref.conversationId, ref.messageId), message) })
}

/**
 * Returns the id of a whole block. Its place is that of the first of its kind which was streaming, else what the line tells
 * (newer files do), else the next one.
 */
export function wholeBlock(
  part: JsonObject,
  { index, ...ref }: MessageRef & { readonly index: number | undefined },
  translation: ClaudeContext,
): string {
  const message = messageOf(ref, translation)
  const { streamed, wholeEnd } = message
  const started = streamed.find(
    (block) => !block.isWhole && block.contentType === part.type && block.toolUseId === asString(part.id),
  )
  if (started) {
    const blocks = streamed.map((block) => (block === started ? { ...block, isWhole: true } : block))
    rememberMessage(ref, { ...message, streamed: blocks }, translation)
    return started.id
  }
  const at = index ?? streamed.reduce((end, block) => Math.max(end, block.at + 1), wholeEnd)
  rememberMessage(ref, { ...message, wholeEnd: Math.max(wholeEnd, at + 1) }, translation)
  return blockIdOf(part, { messageId: ref.messageId, at })
}

/** Remembers a block that begins to stream, and returns its id. */
export function startBlock(
  part: JsonObject,
  { at, ...ref }: MessageRef & Pick<MessageBlock, 'at'>,
  translation: ClaudeContext,
): string {
  const message = messageOf(ref, translation)
  const id = blockIdOf(part, { messageId: ref.messageId, at })
  const block = omitUndefined({
    id,
    contentType: asString(part.type) ?? '',
    toolUseId: asString(part.id),
    at,
    isWhole: false,
  })
  rememberMessage(ref, { ...message, streamed: [...message.streamed, block] }, translation)
  return id
}

/** Reports a message's tokens if they are news. Early figures are completed by later ones, field by field. */
export function reportUsage(
  ref: MessageRef,
  report: { readonly usage: TokenUsage; readonly isFinal: boolean; readonly model?: string | undefined },
  translation: ClaudeContext,
): void {
  const message = messageOf(ref, translation)
  if (message.isUsageFinal && !report.isFinal) return
  const usage = { ...message.usage, ...report.usage }
  const model = report.model ?? message.model
  const isNews = message.isUsageFinal !== report.isFinal || !isSameUsage(message.usage, usage)
  if (!isNews || Object.keys(usage).length === 0) return
  rememberMessage(ref, omitUndefined({ ...message, usage, model, isUsageFinal: report.isFinal }), translation)
  translation.emit(omitUndefined({ type: 'usage:reported', ...ref, usage, final: report.isFinal, model }))
}

export function tokenUsage(usage: JsonObject): TokenUsage {
  return omitUndefined({
    inputTokens: asFiniteNumber(usage.input_tokens),
    outputTokens: asFiniteNumber(usage.output_tokens),
    cacheReadTokens: asFiniteNumber(usage.cache_read_input_tokens),
    cacheWriteTokens: asFiniteNumber(usage.cache_creation_input_tokens),
  })
}

function isSameUsage(left: TokenUsage | undefined, right: TokenUsage): boolean {
  return (
    left !== undefined &&
    left.inputTokens === right.inputTokens &&
    left.outputTokens === right.outputTokens &&
    left.cacheReadTokens === right.cacheReadTokens &&
    left.cacheWriteTokens === right.cacheWriteTokens
  )
}
