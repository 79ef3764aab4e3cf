import { omitUndefined } from '../../../core/json/fields.ts'
import { asObject, asString, type JsonObject } from '../../../core/json/values.ts'
import type { BlockOf } from '../../../core/state/block.ts'
import { isoTime } from '../../kit/time.ts'
import type { AgUiContext } from '../context.ts'
import type { Place } from '../ids.ts'
import { originOf } from './content.ts'
import { beginAgain, newPart, takesDeltas } from './streams.ts'

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
  if (!context.isOpen(conversationId, blockId)) return context.show({ ...block, content: text + rest })
  context.noteWork()
  context.emit({ type: 'block:delta', conversationId, blockId, delta: rest })
}

/** Ends a text. */
export function endText(place: Place, kind: TextKind, _: JsonObject, context: AgUiContext): void {
  const block = context.find(place, kind)
  if (!block) return
  context.rememberRepeat(block, undefined)
  if (context.isOpen(block.conversationId, block.id)) context.show({ ...block, status: 'complete' })
}

/** Marks thinking without a text as hidden by the provider. */
export function hideThinking(place: Place, context: AgUiContext): void {
  const block = context.find(place, 'thinking')
  if (block && block.content === '' && !block.redacted) context.show({ ...block, redacted: true })
}
