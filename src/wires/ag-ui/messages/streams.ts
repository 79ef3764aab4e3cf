import type { ConversationBlock } from '../../../core/state/block.ts'
import type { AgUiContext } from '../context.ts'

/** The greatest length of a text in UTF-16 units. A longer text may exceed an engine's longest string, and the reducer refuses it. */
const MAX_LENGTH = 2 ** 28

/** Whether a block is open, or its stream has begun again. */
export function isStreaming(block: ConversationBlock, context: AgUiContext): boolean {
  return context.isOpen(block.conversationId, block.id) || context.repeatOf(block) !== undefined
}

/** Whether deltas of a block may come. A block without any text cannot have had all of them. */
export function takesDeltas(block: ConversationBlock, text: string, context: AgUiContext): boolean {
  return text === '' || isStreaming(block, context)
}

/** Notes that the stream of a block begins once more. */
export function beginAgain(block: ConversationBlock, text: string, context: AgUiContext): void {
  context.rememberRepeat(block, text === '' ? undefined : 0)
}

/** Notes that the deltas of a block go on at the end of its text. A final block takes them only with a note. */
export function goOnAt(block: ConversationBlock, length: number, context: AgUiContext): void {
  const isImplied = length === 0 || context.isOpen(block.conversationId, block.id)
  context.rememberRepeat(block, isImplied ? undefined : length)
}

/**
 * Returns the new part of a delta, and notes how far the text has come again. A text that begins once more either goes on, or comes again after a
 * reconnect. It comes again as long as its deltas are those of the known text.
 */
export function newPart(block: ConversationBlock, text: string, delta: string, context: AgUiContext): string {
  if (text.length + delta.length > MAX_LENGTH) return ''
  const repeated = context.repeatOf(block) ?? text.length
  const ahead = text.slice(repeated)
  if (ahead !== '' && ahead.startsWith(delta)) {
    const position = repeated + delta.length
    if (position < text.length) context.rememberRepeat(block, position)
    else goOnAt(block, position, context)
    return ''
  }
  const rest = delta.startsWith(ahead) ? delta.slice(ahead.length) : text.slice(0, repeated) + delta
  goOnAt(block, text.length + rest.length, context)
  return rest
}
