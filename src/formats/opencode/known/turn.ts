import { omitUndefined } from '../../../json/omit-undefined.ts'
import { MAIN } from '../../../state/session.ts'
import type { TurnEnd } from '../../translation/context.ts'
import type { OpencodeContext } from '../context.ts'
import type { EventPlace } from '../routing/event-place.ts'
import { knownSession, rememberSession } from './session.ts'

type SessionPlace = Pick<EventPlace, 'sessionId' | 'conversationId'>

/** Starts or continues the session's turn: the model works. */
export function continueTurn(place: SessionPlace, context: OpencodeContext): void {
  if (place.conversationId === MAIN) return context.startTurn()
  rememberSession({ ...knownSession(place.sessionId, context), turn: 'running' }, context)
}

/** Starts the session's turn with a prompt. */
export function beginTurn(
  place: SessionPlace,
  timestamp: string | undefined,
  context: OpencodeContext,
): void {
  if (place.conversationId === MAIN) context.beginTurn(timestamp)
  else continueTurn(place, context)
}

/** Remembers how the session's turn ends. The session reports by an idle event that the turn is over. */
export function answerTurn(place: SessionPlace, end: TurnEnd, context: OpencodeContext): void {
  if (place.conversationId === MAIN) return answerMain(end, context)
  const { outcome = 'finished' } = end
  const turn = outcome === 'finished' ? 'answered' : outcome
  rememberSession({ ...knownSession(place.sessionId, context), turn }, context)
}

/** An error may arrive before or after the end of its message, and after the idle event. It decides the outcome. */
function answerMain(end: TurnEnd, context: OpencodeContext): void {
  const { turn, answer } = context.memory
  const hasFailed = end.outcome !== undefined && end.outcome !== 'finished'
  if (turn === 'idle') context.startTurn()
  if (turn === 'idle' || turn === 'running') {
    if (hasFailed || answer?.outcome === undefined) context.answerTurn(omitUndefined({ ...answer, ...end }))
  } else if (hasFailed && turn !== end.outcome) context.endTurn(end)
}
