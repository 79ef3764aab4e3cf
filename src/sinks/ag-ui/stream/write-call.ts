import { callOf } from '../messages/call.ts'
import { attribution, sessionWideId } from '../messages/ids.ts'
import type { CallBlock } from '../messages/pairs.ts'
import type { BlockContext } from './block-writer.ts'
import { restOfJson } from './rest-of-json.ts'
import type { OpenStream } from './run.ts'

/** Writes a call that is new or has changed. Returns false if its arguments do not continue those before. */
export function writeCall(
  before: CallBlock | undefined,
  after: CallBlock,
  { writer, conversationId }: BlockContext,
): boolean {
  const known = before && callOf(before, conversationId)
  const call = callOf(after, conversationId)
  if (known && known.name !== call.name) return false
  const sent = known?.text ?? ''
  const rest = call.text.startsWith(sent) ? call.text.slice(sent.length) : restOfJson(sent, call.text)
  if (rest === undefined) return false
  const of = { toolCallId: call.id, ...attribution(conversationId) }
  const stream: OpenStream = { kind: 'call', id: call.id, conversationId }
  if (!known || rest !== '')
    writer.openStream(stream, {
      type: 'TOOL_CALL_START',
      toolCallName: call.name,
      parentMessageId: sessionWideId(conversationId, after.id),
      ...of,
    })
  if (rest !== '') writer.write({ type: 'TOOL_CALL_ARGS', delta: rest, ...of })
  if (call.isComplete) writer.closeStream(stream)
  return true
}
