import { type ConversationBlock, messageIdOf } from '../../core/state/block.ts'
import { MAIN } from '../../core/state/session.ts'
import type { TurnOutcome } from '../../core/state/turn.ts'
import type { Memory, SessionOutput } from '../../reading/context.ts'
import type { SessionLookups } from '../../reading/lookups.ts'
import { withLatest } from '../kit/lines.ts'
import type { CopilotEvent } from './messages.ts'
import type { CopilotContext } from './notes.ts'

/** An event and its conversation. */
export interface EventPlace {
  readonly event: CopilotEvent
  readonly conversationId: string
}

// The events of a conversation come in the order of their times. So the time shows whether an event without a block
// is a repeated one. Notes and requests do not count: a live form may show one late, after it has joined the file.

/** Whether the conversation has a later block that is not open. */
export function isBeforeLast({ event, conversationId }: EventPlace, state: SessionLookups): boolean {
  const { timestamp } = lastFinal(conversationId, state) ?? {}
  return isBefore(event, timestamp)
}

/** Whether the delta is of a whole reply, or has come before. A reconnected client receives some again. */
export function isRepeatedDelta(place: EventPlace, memory: Memory<CopilotContext>): boolean {
  const { event, conversationId } = place
  const ended = lastFinal(conversationId, memory.state)
  if (isBefore(event, ended?.timestamp)) return true
  // A reply may have the time of its last delta.
  if (ended && event.time === ended.timestamp && messageIdOf(ended) !== undefined) return true
  const last = memory.notes.values.lastDeltas.get(conversationId)
  return isBefore(event, last?.time) || (event.time === last?.time && last?.ids.includes(event.id) === true)
}

/** Remembers the last deltas of the reply that streams. */
export function noteDelta(
  { event: { id, time }, conversationId }: EventPlace,
  notes: CopilotContext['notes'],
): void {
  if (time === undefined) return
  const last = notes.values.lastDeltas.get(conversationId)
  notes.setEntry('lastDeltas', conversationId, {
    time,
    ids: withLatest(last?.time === time ? last.ids : [], id),
  })
}

const FINAL = 'final'
/** The final blocks with a time that a stream and a file have at the same place: no notes and no requests of the program. */
const finalGroup = ({ type, status, timestamp }: ConversationBlock): string | undefined =>
  status === 'pending' || timestamp === undefined || type === 'system' || type === 'request'
    ? undefined
    : FINAL

function lastFinal(conversationId: string, state: SessionLookups): ConversationBlock | undefined {
  for (const block of state.groupFromEnd(conversationId, finalGroup, FINAL))
    if (!state.cutBlockIds(conversationId)?.includes(block.id)) return block
  return undefined
}

function isBefore({ time }: CopilotEvent, other: string | undefined): boolean {
  return time !== undefined && other !== undefined && time < other
}

/** Starts main's turn, or goes on with it: the model works. */
export function showWork(place: EventPlace, output: SessionOutput): void {
  if (place.conversationId === MAIN && !isOfEndedTurn(place, output.state))
    output.turn.start(place.event.time)
}

/** Whether main's turn had not ended yet when the event came. So it is a repeated one. */
export function isOfEndedTurn(place: EventPlace, state: SessionLookups): boolean {
  const { status, endedAt, openBlocks } = state.turn
  if (status === 'idle' || status === 'running') return false
  if (openBlocks) return isBeforeLast(place, state)
  const { time } = place.event
  return time !== undefined && endedAt !== undefined && time <= endedAt
}

/** A person's prompt begins a turn. If one runs that nothing has ended, its process was killed. */
export function beginTurn(place: EventPlace, delivery: string | undefined, context: CopilotContext): void {
  const { time } = place.event
  if (delivery === 'steering') {
    context.continueConversation(MAIN)
    return context.turn.start(time)
  }
  if (delivery === 'idle' && context.state.turn.status === 'running' && !context.notes.values.answer)
    context.turn.end({ outcome: 'interrupted', timestamp: time })
  context.turn.begin(time)
}

/** Ends the running turn. A repeated end of an earlier turn does not. */
export function endTurn(
  place: EventPlace,
  { outcome, error }: { readonly outcome: TurnOutcome; readonly error?: string },
  output: SessionOutput,
): void {
  if (isEndOfTurn(place, output.state)) output.turn.end({ outcome, error, timestamp: place.event.time })
}

/** Whether the turn runs, or was cut, and the event came after its start. */
export function isEndOfTurn(place: EventPlace, state: SessionLookups): boolean {
  const { status, startedAt, openBlocks } = state.turn
  if (place.conversationId !== MAIN || (status !== 'running' && !openBlocks)) return false
  const { time } = place.event
  const isOfEarlier = time !== undefined && startedAt !== undefined && time <= startedAt
  return !isOfEarlier && !isBeforeLast(place, state)
}

/** Ends the turn if the last reply of the model had no calls. */
export function endAnswered(place: EventPlace, context: CopilotContext): void {
  if (context.notes.values.answer) endTurn(place, { outcome: 'finished' }, context)
}
