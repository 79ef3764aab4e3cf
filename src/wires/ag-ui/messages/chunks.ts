import { asString, type JsonObject } from '../../../core/json/values.ts'
import { MAIN } from '../../../core/state/session.ts'
import type { SessionLookups } from '../../../reading/lookups.ts'
import { type AgUiContext, type AgUiMemory, kindOf } from '../context.ts'
import type { Place } from '../ids.ts'
import { endCall, extendCall, startCall } from './call.ts'
import { endText, extendText, startText, type TextKind } from './text.ts'

/** The kinds of messages that chunks may build. */
type StreamKind = TextKind | 'call'

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
function openPlace(event: JsonObject, kind: StreamKind, memory: AgUiMemory): Place | undefined {
  const { lanes } = memory.notes.values
  const conversationId = memory.conversationOf(event)
  const own = lanes.get(conversationId)
  if (own?.kind === kind) return { conversationId, id: own.streamId }
  const [only, ...others] = lanes.entries().filter(([, lane]) => lane.kind === kind)
  if (only && others.length === 0 && event.subagentRunId === undefined)
    return { conversationId: only[0], id: only[1].streamId }
  return openLaneAgain(event, kind, memory)
}

/**
 * A state does not hold which message the chunks build. The last open one of the conversation goes on, or that of the
 * only agent with one.
 */
function openLaneAgain(event: JsonObject, kind: StreamKind, memory: AgUiMemory): Place | undefined {
  const place = openBlock(memory.conversationOf(event), kind, memory.state)
  const agents = place || event.subagentRunId !== undefined ? [] : memory.state.agents()
  const [first = place, ...others] = agents.flatMap(
    ({ toolUseId }) => openBlock(toolUseId, kind, memory.state) ?? [],
  )
  if (!first || others.length > 0) return undefined
  memory.notes.setEntry('lanes', first.conversationId, { kind, streamId: first.id })
  return first
}

function openBlock(conversationId: string, kind: StreamKind, state: SessionLookups): Place | undefined {
  return state
    .openBlocks(conversationId)
    .findLast(
      (block) => kindOf(block) === kind && !(block.type === 'tool_use' && block.inputText === undefined),
    )
}

/** Begins the message of a chunk, unless it is open. A conversation has one open message of chunks. */
function openLane(
  { conversationId, id }: Place,
  kind: StreamKind,
  event: JsonObject,
  context: AgUiContext,
): void {
  const lane = context.notes.values.lanes.get(conversationId)
  if (lane?.kind === kind && lane.streamId === id) return
  closeLane(conversationId, context)
  context.notes.setEntry('lanes', conversationId, { kind, streamId: id })
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
  if (context.notes.values.lanes.isEmpty || BESIDE.has(event.type)) return
  closeLane(event.subagentRunId === undefined ? MAIN : context.conversationOf(event), context)
}

/** Ends the messages of chunks of all conversations. */
export function closeLanes(context: AgUiContext): void {
  for (const [conversationId] of context.notes.values.lanes.entries()) closeLane(conversationId, context)
}

function closeLane(conversationId: string, context: AgUiContext): void {
  const lane = context.notes.values.lanes.get(conversationId)
  if (!lane) return
  context.notes.removeEntry('lanes', conversationId)
  const place = { conversationId, id: lane.streamId }
  if (lane.kind === 'call') endCall(place, context)
  else endText(place, lane.kind, {}, context)
}
