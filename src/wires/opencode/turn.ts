import { MAIN } from '../../core/state/session.ts'
import type { TurnEnd } from '../../reading/turn.ts'
import type { OpencodeContext } from './context.ts'
import { isOlderId } from './event.ts'
import { type MessageRef, noteSession, type SessionPlace, sessionNote } from './place.ts'

/** Starts or continues the session's turn: the model works. */
export function continueTurn(place: SessionPlace, context: OpencodeContext): void {
  if (isOfEarlierTurn(place, context.notes.values)) return
  if (place.conversationId === MAIN) context.turn.start()
  else if (isUnlinked(place)) noteSession(place.sessionId, { turn: 'running' }, context.notes)
}

/** Starts the session's turn with a prompt. */
export function beginTurn(
  place: SessionPlace,
  timestamp: string | undefined,
  context: OpencodeContext,
): void {
  if (place.conversationId === MAIN) context.turn.begin(timestamp)
  else continueTurn(place, context)
}

/** Remembers how the session's turn ends. The session reports by an idle event that the turn is over. */
export function answerTurn(place: SessionPlace, end: TurnEnd, context: OpencodeContext): void {
  if (isOfEarlierTurn(place, context.notes.values)) return
  if (place.conversationId === MAIN) return answerMain(end, context)
  const { outcome = 'finished' } = end
  // An aborted agent has failed: OpenCode reports its call as an error.
  const turn = outcome === 'finished' ? 'answered' : 'failed'
  if (isUnlinked(place)) noteSession(place.sessionId, { turn }, context.notes)
}

/** An agent without a known call has its session's id as its conversation id. */
export function isUnlinked({ sessionId, conversationId }: SessionPlace): boolean {
  return sessionId === conversationId
}

/** An error may arrive before or after the end of its message, and after the idle event. It decides the outcome. */
function answerMain(end: TurnEnd, context: OpencodeContext): void {
  const { answer } = context.notes.values
  const { status: turn } = context.state.turn
  const hasFailed = end.outcome !== undefined && end.outcome !== 'finished'
  if (turn === 'idle') context.turn.start()
  const hasGoneOn = turn === 'interrupted' && !hasFailed
  if (turn === 'idle' || turn === 'running' || hasGoneOn) {
    if (hasFailed || answer?.outcome === undefined) context.turn.answer({ ...answer, ...end })
  } else if (hasFailed && turn !== end.outcome) context.turn.end(end)
}

/** Remembers that a complete or removed message is not the open one. */
export function closeMessage({ sessionId, messageId }: MessageRef, notes: OpencodeContext['notes']): void {
  if (sessionNote(sessionId, notes.values).openMessage === messageId)
    noteSession(sessionId, { openMessage: undefined }, notes)
}

/** Whether the message is older than the newest complete one: it belongs to an earlier turn. */
export function isOfEarlierTurn(
  { sessionId, messageId }: SessionPlace,
  notes: OpencodeContext['notes']['values'],
): boolean {
  return isOlderId(messageId, sessionNote(sessionId, notes).newestMessage)
}
