import { isEqual } from '../../../json/equal.ts'
import { isString } from '../../../json/values.ts'
import type { BlockOf } from '../../../state/block.ts'
import type { JsonObject } from '../../../wires/ag-ui/json.ts'
import { type TextMessage, textMessage } from '../messages/block-messages.ts'
import { attribution } from '../messages/ids.ts'
import type { BlockContext } from './block-writer.ts'
import type { OpenStream } from './run.ts'
import type { RunWriter } from './run-writer.ts'

type TextBlock = BlockOf<'user_message' | 'assistant_text' | 'thinking'>

/** Writes a text that is new or has changed. Returns false if the text is not a continuation, or has parts that are no text. */
export function writeText(
  before: TextBlock | undefined,
  after: TextBlock,
  { writer, conversationId }: BlockContext,
): boolean {
  const known = before && textMessage(before, conversationId)
  const message = textMessage(after, conversationId)
  if (known && !isEqual(headOf(known), headOf(message))) return false
  const kind = message.role === 'reasoning' ? 'reasoning' : 'text'
  const stream: OpenStream = { kind, id: message.id, conversationId }
  if (!isString(message.content)) {
    if (known) return isEqual(known.content, message.content)
    openText(writer, stream, message)
    writer.closeStream(stream)
    return false
  }
  const sent = known?.content ?? ''
  if (!isString(sent) || !message.content.startsWith(sent)) return false
  const delta = message.content.slice(sent.length)
  if (!known || delta !== '') openText(writer, stream, message)
  if (delta !== '') writer.write(contentOf(stream, delta))
  if (after.status !== 'pending') writer.closeStream(stream)
  return true
}

function headOf({ role, metadata }: TextMessage): object {
  return { role, metadata: metadata ?? null }
}

function openText(writer: RunWriter, stream: OpenStream, { role, metadata }: TextMessage): void {
  const of = { messageId: stream.id, ...attribution(stream.conversationId) }
  const facts: { readonly metadata?: JsonObject } = metadata ? { metadata } : {}
  if (role === 'reasoning')
    writer.openStream(
      stream,
      { type: 'REASONING_START', ...of },
      { type: 'REASONING_MESSAGE_START', role, ...facts, ...of },
    )
  else writer.openStream(stream, { type: 'TEXT_MESSAGE_START', role, ...facts, ...of })
}

function contentOf({ kind, id: messageId, conversationId }: OpenStream, delta: string) {
  const of = { messageId, delta, ...attribution(conversationId) }
  return kind === 'text'
    ? ({ type: 'TEXT_MESSAGE_CONTENT', ...of } as const)
    : ({ type: 'REASONING_MESSAGE_CONTENT', ...of } as const)
}
