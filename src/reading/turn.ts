import type { EventOf, SessionEvent } from '../core/events/event.ts'
import { isPendingWork } from '../core/state/block.ts'
import { MAIN } from '../core/state/session.ts'
import type { SessionTurn } from '../core/state/turn.ts'

/** How a turn ends, and when. */
export type TurnEnd = Pick<EventOf<'session:idle'>, 'outcome' | 'error' | 'timestamp'>

/**
 * Whether the event adds content to main that stays. A stream has notes of the program that the files lack, and text
 * that is taken back. An error is a part of the turn's end.
 */
export function isMainContent(event: SessionEvent): boolean {
  const { conversationId = MAIN } = event
  if (conversationId !== MAIN) return false
  if (event.type !== 'block:upsert') return event.type === 'subagent:spawned'
  const { status, type } = event.block
  return status !== 'pending' && type !== 'system' && type !== 'error'
}

/** Whether the event shows by itself that main works on. */
export function showsWork(event: SessionEvent): boolean {
  return (
    event.type === 'block:upsert' && (event.conversationId ?? MAIN) === MAIN && isPendingWork(event.block)
  )
}

/** Whether a turn ends as the last one did. An unknown error may be the same. */
export function isSameEnd(last: SessionTurn, { outcome = 'finished', error = last.error }: TurnEnd): boolean {
  return last.status === outcome && (last.error ?? error) === error
}

/** Whether a turn has ended by itself. A later message may go on with one that ended with its input. */
export function isOver(
  turn: SessionTurn,
): turn is SessionTurn & { readonly status: NonNullable<TurnEnd['outcome']> } {
  const { status, openBlocks } = turn
  return status !== 'idle' && status !== 'running' && openBlocks === undefined
}
