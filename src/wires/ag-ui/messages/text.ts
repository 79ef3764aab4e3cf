import { omitUndefined } from '../../../core/json/fields.ts'
import { isoTime } from '../../../core/json/iso-time.ts'
import { asObject, asString, type JsonObject } from '../../../core/json/values.ts'
import type { BlockOf, ConversationBlock } from '../../../core/state/block.ts'
import type { AgUiContext, AgUiMemory } from '../context.ts'
import type { Place } from '../ids.ts'
import { originOf } from './content.ts'

type TextBlock = BlockOf<'user_message' | 'assistant_text' | 'thinking'>

/** The kinds of texts that stream. */
export type TextKind = 'text' | 'thinking'

/** Begins a text, or begins a known one again. */
export function startText(place: Place, kind: TextKind, event: JsonObject, context: AgUiContext): void {
  const known = context.find(place, kind)
  if (known) beginAgain(known, textOf(known) ?? '', context)
  else showNewText(place, kind, event, context)
}

function showNewText(place: Place, kind: TextKind, event: JsonObject, context: AgUiContext): void {
  context.noteWork()
  context.show(textBlock(context.slotOf(place, kind), kind, { ...event, messageId: place.id }))
}

/** Returns the block of a text that begins with an event. */
export function textBlock(
  { conversationId, id }: Place,
  kind: TextKind,
  { messageId: ofMessage, timestamp, ...event }: JsonObject,
): TextBlock {
  const messageId = asString(ofMessage)
  const base = omitUndefined({
    id,
    conversationId,
    status: 'pending',
    content: '',
    timestamp: isoTime(timestamp),
  } as const)
  if (kind === 'thinking') {
    const redacted = asObject(event.metadata).redacted === true || undefined
    return omitUndefined({ type: 'thinking', ...base, messageId, redacted } as const)
  }
  const origin = originOf(event)
  return event.role === 'user' || origin
    ? omitUndefined({ type: 'user_message', ...base, origin } as const)
    : omitUndefined({ type: 'assistant_text', ...base, messageId } as const)
}

function textOf({ content }: TextBlock): string | undefined {
  return typeof content === 'string' ? content : undefined
}

/** Appends to a text. The stream may lack its beginning. A text that has ended comes again. */
export function extendText(place: Place, kind: TextKind, event: JsonObject, context: AgUiContext): void {
  if (!context.find(place, kind)) showNewText(place, kind, event, context)
  const block = context.find(place, kind)
  const delta = asString(event.delta)
  const text = block && textOf(block)
  if (!block || !delta || text === undefined || !takesDeltas(block, text, context)) return
  const rest = newPart(block, text, delta, context)
  if (rest === '') return
  const { conversationId, id: blockId } = block
  if (!context.state.isOpen(conversationId, blockId)) return context.show({ ...block, content: text + rest })
  context.noteWork()
  context.emit({ type: 'block:delta', conversationId, blockId, delta: rest })
}

/** Ends a text. */
export function endText(place: Place, kind: TextKind, _: JsonObject, context: AgUiContext): void {
  const block = context.find(place, kind)
  if (!block) return
  context.rememberRepeat(block, undefined)
  if (context.state.isOpen(block.conversationId, block.id)) context.show({ ...block, status: 'complete' })
}

/** Marks thinking without a text as hidden by the provider. */
export function hideThinking(place: Place, context: AgUiContext): void {
  const block = context.find(place, 'thinking')
  if (block && block.content === '' && !block.redacted) context.show({ ...block, redacted: true })
}

/** The greatest length of a text in UTF-16 units. A longer text may exceed an engine's longest string, and the reducer refuses it. */
const MAX_LENGTH = 2 ** 28

/** Whether a block is open, or its stream has begun again. */
export function isStreaming(block: ConversationBlock, memory: AgUiMemory): boolean {
  return memory.state.isOpen(block.conversationId, block.id) || memory.repeatOf(block) !== undefined
}

/** Whether deltas of a block may come. A block without any text cannot have had all of them. */
export function takesDeltas(block: ConversationBlock, text: string, memory: AgUiMemory): boolean {
  return text === '' || isStreaming(block, memory)
}

/** Notes that the stream of a block begins once more. */
export function beginAgain(block: ConversationBlock, text: string, memory: AgUiMemory): void {
  memory.rememberRepeat(block, text === '' ? undefined : 0)
}

/** Notes that the deltas of a block go on at the end of its text. A final block takes them only with a note. */
export function goOnAt(block: ConversationBlock, length: number, memory: AgUiMemory): void {
  const isImplied = length === 0 || memory.state.isOpen(block.conversationId, block.id)
  memory.rememberRepeat(block, isImplied ? undefined : length)
}

/**
 * Returns the new part of a delta, and notes how far the text has come again. A text that begins once more either
 * goes on, or comes again after a reconnect. It comes again as long as its deltas are those of the known text.
 */
export function newPart(block: ConversationBlock, text: string, delta: string, memory: AgUiMemory): string {
  if (text.length + delta.length > MAX_LENGTH) return ''
  const repeated = memory.repeatOf(block) ?? text.length
  const ahead = text.slice(repeated)
  if (ahead !== '' && ahead.startsWith(delta)) {
    const position = repeated + delta.length
    if (position < text.length) memory.rememberRepeat(block, position)
    else goOnAt(block, position, memory)
    return ''
  }
  const rest = delta.startsWith(ahead) ? delta.slice(ahead.length) : text.slice(0, repeated) + delta
  goOnAt(block, text.length + rest.length, memory)
  return rest
}
