import type { IncomingBlock } from '../../core/events/event.ts'
import type { AllowUndefined } from '../../core/json/fields.ts'
import { isModelText } from '../../core/state/block.ts'
import { MAIN } from '../../core/state/session.ts'
import type { Memory, SessionOutput } from '../../reading/context.ts'
import { COMPACTED, errorBlock, noteBlock } from '../kit/blocks.ts'
import type { QwenContext } from './notes.ts'
import { currentMessage, takeBlockId } from './place.ts'

/** A text or a thought of the model. */
interface ModelText {
  readonly isThought: boolean
  readonly text: string
  readonly time?: string | undefined
  readonly model?: string | undefined
}

/** Returns the type of a block with words of the model. */
export function typeOf(isThought: boolean): 'thinking' | 'assistant_text' {
  return isThought ? 'thinking' : 'assistant_text'
}

/** Adds a block to a conversation. In main it shows that the model works. */
export function showWork(
  conversationId: string,
  block: AllowUndefined<IncomingBlock>,
  output: SessionOutput,
): void {
  if (conversationId === MAIN) output.turn.start()
  output.upsert(conversationId, block)
}

/** Begins a text whose pieces follow, and returns its id. */
export function beginText(conversationId: string, memory: Memory<QwenContext>): string {
  const id = takeBlockId(conversationId, memory)
  memory.notes.setEntry('openTexts', conversationId, { id })
  return id
}

/** Adds a piece to the text that is being built. A state does not show that a text has begun before its first piece. */
export function extendText(conversationId: string, piece: ModelText, context: QwenContext): void {
  if (piece.text === '') return
  const blockId = context.notes.values.openTexts.get(conversationId)?.id ?? beginText(conversationId, context)
  if (context.state.isOpen(conversationId, blockId))
    context.emit({ type: 'block:delta', conversationId, blockId, delta: piece.text })
  else showWork(conversationId, blockOf(conversationId, blockId, 'pending', piece, context), context)
}

/** Shows a whole text. It completes the one of its kind that is being built. */
export function showText(conversationId: string, text: ModelText, context: QwenContext): void {
  const type = typeOf(text.isThought)
  const { id, cut = 0 } = context.notes.values.openTexts.get(conversationId) ?? {}
  const built = context.state.firstOpenBlock(conversationId, (block) => block.type === type)
  const isFree = id !== undefined && !isModelText(context.state.findBlock(conversationId, id))
  context.notes.removeEntry('openTexts', conversationId)
  const blockId = built?.id ?? (isFree ? id : takeBlockId(conversationId, context))
  const whole = { ...text, text: withoutOverlap(text.text, cut) }
  showWork(conversationId, blockOf(conversationId, blockId, 'complete', whole, context), context)
}

/** The least overlap that the program takes for a repetition, in UTF-16 units. */
const LEAST_OVERLAP = 6

/** Returns a text that was cut at a place as the program stores it: words that the model repeats behind the cut are there once. */
function withoutOverlap(text: string, cut: number): string {
  for (let at = 0; at <= cut - LEAST_OVERLAP; at += 1)
    if (text.startsWith(text.slice(at, cut), cut)) return text.slice(0, at) + text.slice(cut)
  return text
}

/** Notes what is built of a text when the connection broke. The next attempt goes on with it in the same block, or begins anew. */
export function retryText(conversationId: string, goesOn: boolean, context: QwenContext): void {
  const { id = '' } = context.notes.values.openTexts.get(conversationId) ?? {}
  const block = context.state.findBlock(conversationId, id)
  if (!isModelText(block)) return
  if (goesOn) context.notes.setEntry('openTexts', conversationId, { id, cut: block.content.length })
  else context.emit({ type: 'block:removed', conversationId, blockId: id })
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
  memory: Memory<QwenContext>,
): AllowUndefined<IncomingBlock> {
  if (!isThought && isApiError(text)) return errorBlock({ id, message: wordsOfError(text), timestamp })
  if (!isThought && COMPRESSED.test(text))
    return noteBlock({ id, subtype: 'compaction', message: COMPACTED, timestamp })
  const messageId = currentMessage(conversationId, memory)
  return { type: typeOf(isThought), id, status, content: text, messageId, model, timestamp }
}

/** Shows why a turn or an agent failed, unless the stream has shown it as a text. */
export function showError(
  conversationId: string,
  message: string,
  timestamp: string | undefined,
  context: QwenContext,
): void {
  if (context.state.blocksOf(conversationId).at(-1)?.type === 'error') return
  const id = takeBlockId(conversationId, context)
  const block = errorBlock({ id, message, timestamp })
  context.upsert(conversationId, block)
}
