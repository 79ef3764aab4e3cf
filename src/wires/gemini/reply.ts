import { isEqual } from '../../core/json/equal.ts'
import { omitUndefined } from '../../core/json/fields.ts'
import { asFiniteNumber, type JsonObject } from '../../core/json/values.ts'
import { type ConversationBlock, messageIdOf } from '../../core/state/block.ts'
import { MAIN, type TokenUsage, uncachedInput } from '../../core/state/session.ts'
import { textIn } from '../../programs/gemini/parts.ts'
import { showStoredCalls } from './calls.ts'
import type { StoredCall, StoredMessage } from './messages.ts'
import type { GeminiContext } from './notes.ts'
import { placeInFile, showWork, storedText, type Thread, takeTextId } from './thread.ts'

/**
 * Translates a reply of the model. It is written once when its texts are whole, and again when all its calls have ended. Nothing says that a
 * text without calls is an answer until the next line: its calls may still run.
 */
export function translateReply(thread: Thread, message: StoredMessage, context: GeminiContext): void {
  const { conversationId, key } = thread
  const { id, time, model } = message
  const text = textIn(message.parts)
  const calls = [...message.calls, ...callsIn(message)]
  const isNew = !isKnown(thread, id, context)
  if (isNew)
    for (const thought of thoughtsOf(message)) showText(thread, message, 'thinking', thought, context)
  if (text !== '') showReplyText(thread, message, text, context)
  showStoredCalls(thread, calls, message, context)
  reportUsage(conversationId, message, context)
  if (key !== MAIN) return
  if (model !== undefined) context.updateFacts({ model })
  const isAnswer = isNew && text !== '' && calls.length === 0
  const isOpen = context.turn.status === 'running' || context.turn.openBlocks !== undefined
  if (isAnswer && isOpen) context.answerTurn({ outcome: 'finished', timestamp: time })
}

function isKnown({ conversationId }: Thread, messageId: string, context: GeminiContext): boolean {
  return (
    context.hasBlocks(conversationId, messageId) || context.usageOf(conversationId, messageId) !== undefined
  )
}

/** The history for the model has calls without their results. */
function callsIn({ parts, time }: StoredMessage): readonly StoredCall[] {
  return parts.flatMap((part) => {
    if (part.type !== 'call' || part.id === undefined) return []
    const { id, name, input } = part
    const open = { status: 'executing', result: undefined, display: undefined, agentId: undefined, time }
    return [{ id, name, input, ...open }]
  })
}

function thoughtsOf({ thoughts, parts }: StoredMessage): readonly string[] {
  if (thoughts.length > 0) return thoughts
  return parts.flatMap((part) => (part.type === 'text' && part.isThought ? [part.text] : []))
}

/** Shows the text of a reply. It may have grown since the reply was written first. */
function showReplyText(thread: Thread, message: StoredMessage, text: string, context: GeminiContext): void {
  const known = context
    .blocksOfMessage(thread.conversationId, message.id)
    .find((block) => block.type === 'assistant_text')
  if (!known) return showText(thread, message, 'assistant_text', text, context)
  if (known.content === text || text.length < known.content.length || message.isForModel) return
  if (storedText(known.content) === text) return
  context.upsert(thread.conversationId, { ...known, content: text })
}

function showText(
  thread: Thread,
  { id: messageId, time: timestamp, model }: StoredMessage,
  type: 'assistant_text' | 'thinking',
  content: string,
  context: GeminiContext,
): void {
  const { conversationId } = thread
  const place = placeInFile(thread, context)
  const isStreamed = (known: ConversationBlock) =>
    known.type === type && messageIdOf(known) === undefined && storedText(known.content) === content
  const { id, next } = takeTextId(conversationId, place, type, isStreamed, context)
  context.setEntry('places', thread.key, next)
  const streamed = context.findBlock(conversationId, id)
  const block = omitUndefined({ type, id, status: 'complete', content, messageId, model, timestamp } as const)
  // The stream has the text as the model wrote it.
  if (streamed?.type === type)
    context.upsert(conversationId, { ...streamed, status: 'complete', messageId, model })
  else showWork(thread, block, context)
}

/** Reports the tokens of a reply. Both its lines have them. */
function reportUsage(
  conversationId: string,
  { id: messageId, tokens, model }: StoredMessage,
  context: GeminiContext,
): void {
  const usage = tokens && usageOf(tokens)
  if (!usage || Object.keys(usage).length === 0) return
  const known = context.usageOf(conversationId, messageId)
  if (known?.final && isEqual(known, omitUndefined({ messageId, final: true, model, ...usage }))) return
  const event = { type: 'usage:reported', conversationId, messageId, usage, final: true, model } as const
  context.emit(event)
}

/** Gemini counts cached tokens in the input, and thoughts beside the output. */
function usageOf(tokens: JsonObject): TokenUsage {
  const input = asFiniteNumber(tokens.input)
  const output = asFiniteNumber(tokens.output)
  const cacheReadTokens = asFiniteNumber(tokens.cached) || undefined
  const reasoningTokens = asFiniteNumber(tokens.thoughts) || undefined
  return omitUndefined({
    inputTokens: uncachedInput(input, cacheReadTokens),
    outputTokens: output === undefined ? undefined : output + (reasoningTokens ?? 0),
    cacheReadTokens,
    reasoningTokens,
  })
}
