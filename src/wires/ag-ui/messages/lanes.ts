import type { AgUiContext } from '../context.ts'
import { endCall } from './call.ts'
import { endText, type TextKind } from './text.ts'

/** The kinds of messages that chunks may build. */
export type StreamKind = TextKind | 'call'

/** Ends the stream of chunks of a conversation, if one is open. */
export function closeLane(conversationId: string, context: AgUiContext): void {
  const { lanes } = context.memory
  const lane = lanes.get(conversationId)
  if (!lane) return
  context.removeEntry('lanes', conversationId)
  const place = { conversationId, id: lane.streamId }
  if (lane.kind === 'call') endCall(place, context)
  else endText(place, lane.kind, context)
}

/** Ends the streams of chunks of all conversations. */
export function closeLanes(context: AgUiContext): void {
  for (const { id } of context.memory.lanes.values()) closeLane(id, context)
}
