import type { Join, JoinFault } from './compare-join.ts'

/** Main's turn has the last status of the live messages. If an earlier message gave it that status, the history's status may stay. */
export function compareTurn({ joined, history, live, cut }: Join): readonly JoinFault[] {
  const [actual, expected] = [joined.turn, live.state.turn]
  if (actual.status === expected.status) return []
  if (live.turnChangedAt >= cut) return [{ code: 'incomplete', actual, expected }]
  return actual.status === history.turn.status
    ? []
    : [{ code: 'overwritten', actual, expected: history.turn }]
}
