import { count, type JsonObject, text } from '../../state/json.ts'
import { known } from '../../state/known.ts'
import type { TokenUsage } from '../../state/session.ts'
import { keyOf } from '../key.ts'
import type { MessageBlock, ModelMessage } from './memory.ts'
import { blockIdOf } from './model-block.ts'
import type { Translation } from './translation.ts'

/** Names a model message: message ids are unique within a conversation only. */
export interface MessageRef {
  readonly conversationId: string
  readonly messageId: string
}

const NEW_MESSAGE: ModelMessage = { streamed: [], wholeEnd: 0, isUsageFinal: false }

export function messageOf({ conversationId, messageId }: MessageRef, { memory }: Translation): ModelMessage {
  return memory.messages.get(keyOf(conversationId, messageId)) ?? NEW_MESSAGE
}

export function rememberMessage(ref: MessageRef, message: ModelMessage, translation: Translation): void {
  const { messages } = translation.memory
  translation.remember({ messages: messages.with(keyOf(ref.conversationId, ref.messageId), message) })
}

/**
 * Returns the id of a whole block. Its place is that of the first of its kind which was streaming, else what the line tells
 * (newer files do), else the next one.
 */
export function wholeBlock(
  part: JsonObject,
  { index, ...ref }: MessageRef & { readonly index: number | undefined },
  translation: Translation,
): string {
  const message = messageOf(ref, translation)
  const { streamed, wholeEnd } = message
  const started = streamed.find(
    (block) => !block.isWhole && block.contentType === part.type && block.toolUseId === text(part.id),
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
  translation: Translation,
): string {
  const message = messageOf(ref, translation)
  const id = blockIdOf(part, { messageId: ref.messageId, at })
  const block = known({
    id,
    contentType: text(part.type) ?? '',
    toolUseId: text(part.id),
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
  translation: Translation,
): void {
  const message = messageOf(ref, translation)
  if (message.isUsageFinal && !report.isFinal) return
  const usage = { ...message.usage, ...report.usage }
  const model = report.model ?? message.model
  const isNews = message.isUsageFinal !== report.isFinal || !isSameUsage(message.usage, usage)
  if (!isNews || Object.keys(usage).length === 0) return
  rememberMessage(ref, known({ ...message, usage, model, isUsageFinal: report.isFinal }), translation)
  translation.emit(known({ type: 'usage:reported', ...ref, usage, final: report.isFinal, model }))
}

export function tokenUsage(usage: JsonObject): TokenUsage {
  return known({
    inputTokens: count(usage.input_tokens),
    outputTokens: count(usage.output_tokens),
    cacheReadTokens: count(usage.cache_read_input_tokens),
    cacheWriteTokens: count(usage.cache_creation_input_tokens),
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
