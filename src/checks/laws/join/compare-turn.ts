import type { SessionConversationState } from '../../../core/state/session.ts'
import type { Join, PartFault } from './join.ts'

const TURN = "main's turn"

/**
 * Main's turn has the last status of the live messages. If an earlier message gave it that status, the history's status may stay. Live
 * messages that only repeat the history leave the times of its turn, and its end if they report none.
 */
export function compareTurn(join: Join): readonly PartFault[] {
  const { joined, history, live, cut } = join
  const [actual, expected] = [joined.turn, live.state.turn]
  if (actual.status === expected.status) return lostFacts(join)
  const isKept = actual.status === history.turn.status && hasSameContent(joined, history)
  if (expected.status === 'running' && isKept) return lostFacts(join)
  if (live.turnChangedAt >= cut) return [{ code: 'incomplete', part: TURN, actual, expected }]
  return actual.status === history.turn.status
    ? lostFacts(join)
    : [{ code: 'overwritten', part: TURN, actual, expected: history.turn }]
}

function lostFacts({ joined, history }: Join): readonly PartFault[] {
  const [actual, expected] = [joined.turn, history.turn]
  if (actual.status !== expected.status || !hasSameContent(joined, history)) return []
  const isKept = (['startedAt', 'endedAt', 'error'] as const).every(
    (name) => expected[name] === undefined || actual[name] === expected[name],
  )
  return isKept ? [] : [{ code: 'overwritten', part: TURN, actual, expected }]
}

/** A stream has notes of the program that its files lack. */
function hasSameContent(joined: SessionConversationState, history: SessionConversationState): boolean {
  const idsIn = ({ blocks }: SessionConversationState) =>
    blocks.flatMap(({ id, type }) => (type === 'system' ? [] : [id])).join(' ')
  return idsIn(joined) === idsIn(history)
}
