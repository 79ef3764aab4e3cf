import { asString, type JsonObject } from '../../../json/values.ts'
import { MAIN } from '../../../state/session.ts'
import { type AgUiContext, kindOf } from '../context.ts'
import type { Place } from '../memory.ts'
import { extendCall, startCall } from './call.ts'
import { closeLane, type StreamKind } from './lanes.ts'
import { extendText, startText } from './text.ts'

/** Translates a chunk. The first chunk of a message names it, and the next ones may leave the id out. */
export function translateChunk(event: JsonObject, kind: StreamKind, context: AgUiContext): void {
  const id = asString(kind === 'call' ? event.toolCallId : event.messageId)
  const place =
    id === undefined
      ? openPlace(event, kind, context)
      : context.placeOf(event, kind === 'call' ? 'call' : 'message', id)
  if (!place) return context.reportUnknown('unknown-message', asString(event.type) ?? '')
  if (id !== undefined) openLane(place, kind, event, context)
  const delta = asString(event.delta)
  if (delta === undefined) return
  if (kind === 'call') extendCall(place, delta, context)
  else extendText(place, kind, event, context)
}

/** Returns the place of the open message: that of the named agent, of main, or the only open one of the kind. */
function openPlace(event: JsonObject, kind: StreamKind, context: AgUiContext): Place | undefined {
  const { lanes } = context.memory
  const own = lanes.get(context.conversationOf(event))
  const all = lanes.values().filter((lane) => lane.kind === kind)
  const lane =
    own?.kind === kind ? own : event.subagentRunId === undefined && all.length === 1 ? all[0] : undefined
  return lane ? { conversationId: lane.id, id: lane.streamId } : pendingPlace(event, kind, context)
}

/** A state does not hold which message the chunks build. The last open one of the conversation goes on. */
function pendingPlace(event: JsonObject, kind: StreamKind, context: AgUiContext): Place | undefined {
  const conversationId = context.conversationOf(event)
  const open = context.knownPending(conversationId)
  return open.findLast(({ isOpen, block }) => isOpen && kindOf(block) === kind)?.block
}

/** Begins the message of a chunk, unless it is open. A conversation has one open message of chunks. */
function openLane(
  { conversationId, id }: Place,
  kind: StreamKind,
  event: JsonObject,
  context: AgUiContext,
): void {
  const lane = context.memory.lanes.get(conversationId)
  if (lane?.kind === kind && lane.streamId === id) return
  closeLane(conversationId, context)
  context.setEntry('lanes', conversationId, { id: conversationId, kind, streamId: id })
  const place = { conversationId, id }
  if (kind === 'call')
    startCall(
      place,
      {
        toolName: asString(event.toolCallName) ?? 'tool',
        messageId: asString(event.parentMessageId),
        timestamp: undefined,
      },
      context,
    )
  else startText(place, kind, event, context)
}

/** The events that leave the open message of chunks of their conversation open. */
const BESIDE: ReadonlySet<unknown> = new Set([
  'RAW',
  'ACTIVITY_SNAPSHOT',
  'ACTIVITY_DELTA',
  'REASONING_ENCRYPTED_VALUE',
  'SUBAGENT_STARTED',
])

/** Ends the message of chunks in the conversation of an event that is no chunk. */
export function closeChunks(event: JsonObject, context: AgUiContext): void {
  if (context.memory.lanes.isEmpty || BESIDE.has(event.type)) return
  closeLane(event.subagentRunId === undefined ? MAIN : context.conversationOf(event), context)
}
