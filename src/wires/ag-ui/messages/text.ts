import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asObject, asString, type JsonObject } from '../../../json/values.ts'
import { withChanges } from '../../../json/with-changes.ts'
import { isoTime } from '../../../session/time.ts'
import type { BlockOf } from '../../../state/block.ts'
import type { AgUiContext } from '../context.ts'
import type { KnownBlock, Place } from '../memory.ts'
import { originOf } from './content.ts'
import { newPart } from './deltas.ts'

type TextBlock = BlockOf<'user_message' | 'assistant_text' | 'thinking'>

/** The kinds of texts that stream. */
export type TextKind = 'text' | 'thinking'

/** Begins a text, or begins a known one again. */
export function startText(place: Place, kind: TextKind, event: JsonObject, context: AgUiContext): void {
  const known = context.find(place, kind)
  if (known) {
    context.rememberBlock(withChanges(known, { isOpen: true, repeated: 0 }))
    return
  }
  context.noteWork()
  const slot = context.slotOf(place, kind)
  const block = textBlock(slot, kind, { ...event, messageId: place.id })
  context.show({ block, isOpen: true, order: context.nextOrder() })
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

/** Appends to a text. The stream may lack its beginning. A text that has ended comes again. */
export function extendText(place: Place, kind: TextKind, event: JsonObject, context: AgUiContext): void {
  if (!context.find(place, kind)) startText(place, kind, event, context)
  const known = context.find(place, kind)
  const delta = asString(event.delta)
  if (!known?.isOpen || !delta || !('content' in known.block)) return
  const { content } = known.block
  if (typeof content !== 'string') return
  const { rest, repeated } = newPart(content, known, delta)
  appendText(withChanges(known, { repeated }), rest, context)
}

function appendText(known: KnownBlock, delta: string, context: AgUiContext): void {
  const { block } = known
  if (delta === '' || !('content' in block)) {
    context.rememberBlock(known)
    return
  }
  const extended: KnownBlock = { ...known, block: { ...block, content: `${block.content}${delta}` } }
  if (block.status !== 'pending') return context.show(extended)
  const { id: blockId, conversationId } = block
  context.noteWork()
  context.rememberBlock(extended)
  context.emit({ type: 'block:delta', conversationId, blockId, delta })
}

/** Ends a text. */
export function endText(place: Place, kind: TextKind, context: AgUiContext): void {
  const known = context.find(place, kind)
  if (!known?.isOpen) return
  const { block } = known
  const ended = withChanges(known, { isOpen: undefined, repeated: undefined })
  if (block.status === 'pending') context.show({ ...ended, block: { ...block, status: 'complete' } })
  else context.rememberBlock(ended)
}

/** Marks thinking without a text as hidden by the provider. */
export function hideThinking(place: Place, context: AgUiContext): void {
  const known = context.find(place, 'thinking')
  if (known?.block.type !== 'thinking' || known.block.content !== '' || known.block.redacted) return
  context.show({ ...known, block: { ...known.block, redacted: true } })
}
