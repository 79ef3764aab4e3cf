import type { IncomingBlock } from '../../events/event.ts'
import type { AllowUndefined } from '../../json/omit-undefined.ts'
import { COMPACTED } from '../../session/values/compaction.ts'
import type { BlockOf, ConversationBlock } from '../../state/block.ts'
import { MAIN } from '../../state/session.ts'
import type { QwenContext } from './notes.ts'
import { currentMessage, takeBlockId } from './place.ts'

/** A text or a thought of the model. */
interface ModelText {
  readonly isThought: boolean
  readonly text: string
  readonly time?: string | undefined
  readonly model?: string | undefined
}

/** Adds a block to a conversation. In main it shows that the model works. */
export function showWork(
  conversationId: string,
  block: AllowUndefined<IncomingBlock>,
  context: QwenContext,
): void {
  if (conversationId === MAIN) context.startTurn()
  context.upsert(conversationId, block)
}

/** Begins a text whose pieces follow, and returns its id. */
export function beginText(conversationId: string, context: QwenContext): string {
  const id = takeBlockId(conversationId, context)
  context.setEntry('openTexts', conversationId, { id })
  return id
}

/** Adds a piece to the text that is being built. A state does not show that a text has begun before its first piece. */
export function extendText(conversationId: string, piece: ModelText, context: QwenContext): void {
  if (piece.text === '') return
  const blockId = context.notes.openTexts.get(conversationId)?.id ?? beginText(conversationId, context)
  if (context.isOpen(conversationId, blockId))
    context.emit({ type: 'block:delta', conversationId, blockId, delta: piece.text })
  else showWork(conversationId, blockOf(conversationId, blockId, 'pending', piece, context), context)
}

/** Shows a whole text. It completes the one of its kind that is being built. */
export function showText(conversationId: string, text: ModelText, context: QwenContext): void {
  const type = text.isThought ? 'thinking' : 'assistant_text'
  const { id, cut = 0 } = context.notes.openTexts.get(conversationId) ?? {}
  const built = context.openBlocks(conversationId).find((block) => block.type === type)
  const isFree = id !== undefined && !isText(context.findBlock(conversationId, id))
  context.removeEntry('openTexts', conversationId)
  const blockId = built?.id ?? (isFree ? id : takeBlockId(conversationId, context))
  const whole = { ...text, text: withoutOverlap(text.text, cut) }
  showWork(conversationId, blockOf(conversationId, blockId, 'complete', whole, context), context)
}

/** The least overlap that the program takes for a repetition, in UTF-16 units. */
const LEAST_OVERLAP = 6

/** Returns a text that was cut at a place as the program stores it: words that the model repeats behind the cut are there once. */
function withoutOverlap(text: string, cut: number): string {
  for (let length = cut; length >= LEAST_OVERLAP; length -= 1)
    if (text.slice(cut - length, cut) === text.slice(cut, cut + length))
      return text.slice(0, cut) + text.slice(cut + length)
  return text
}

/** Whether the block has words of the model. */
export function isText(
  block: ConversationBlock | undefined,
): block is BlockOf<'assistant_text' | 'thinking'> {
  return block?.type === 'assistant_text' || block?.type === 'thinking'
}

/** Notes what is built of a text when the connection broke. The next attempt goes on with it in the same block, or begins anew. */
export function retryText(conversationId: string, goesOn: boolean, context: QwenContext): void {
  const { id = '' } = context.notes.openTexts.get(conversationId) ?? {}
  const block = context.findBlock(conversationId, id)
  if (!isText(block)) return
  if (goesOn) return context.setEntry('openTexts', conversationId, { id, cut: block.content.length })
  context.setEntry('openTexts', conversationId, { id })
  context.emit({ type: 'block:removed', conversationId, blockId: id })
}

const API_ERROR = /^\[API Error: ([\s\S]*)\]$/

/** Whether the text is the report of a request that failed. The program writes it in the model's place. */
export function isApiError(text: string): boolean {
  return API_ERROR.test(text)
}

/** Returns the words of an error, as files have them. */
export function wordsOfError(text: string): string {
  return API_ERROR.exec(text)?.[1] ?? text
}

/** The report of a compaction. The program writes it in the model's place. */
export const COMPRESSED = /^Context compressed \(.*\)\.$/

function blockOf(
  conversationId: string,
  id: string,
  status: 'pending' | 'complete',
  { isThought, text, time: timestamp, model }: ModelText,
  context: QwenContext,
): AllowUndefined<IncomingBlock> {
  if (!isThought && isApiError(text))
    return { type: 'error', id, status: 'complete', message: wordsOfError(text), timestamp }
  if (!isThought && COMPRESSED.test(text)) return compactionBlock(id, timestamp)
  const messageId = currentMessage(conversationId, context)
  const type = isThought ? 'thinking' : 'assistant_text'
  return { type, id, status, content: text, messageId, model, timestamp }
}

/** Returns the mark of a compaction. */
export function compactionBlock(id: string, timestamp: string | undefined): AllowUndefined<IncomingBlock> {
  return { type: 'system', id, status: 'complete', subtype: 'compaction', message: COMPACTED, timestamp }
}

/** Shows why a turn or an agent failed, unless the stream has shown it as a text. */
export function showError(
  conversationId: string,
  message: string,
  timestamp: string | undefined,
  context: QwenContext,
): void {
  if (context.blocksOf(conversationId).at(-1)?.type === 'error') return
  const id = takeBlockId(conversationId, context)
  const block = { type: 'error', id, status: 'complete', message, timestamp } as const
  context.upsert(conversationId, block)
}
