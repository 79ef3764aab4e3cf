import type { Source } from '../session/source.ts'
import { checkAgents, waitsForPerson } from './check-agents.ts'
import { LawError, requireResult } from './law-error.ts'
import { evenSample } from './laws.ts'
import { checkState, endOf, type SourceFold, type SourceStep } from './source-fold.ts'

/**
 * Checks the state after the end of the input. Nothing runs, unless the session waits for a person. The ending and main's turn agree: the turn is interrupted if the ending is. The agents
 * that the end has cut are reported.
 */
export function checkEndings(source: Source, fold: SourceFold, steps: readonly SourceStep[]): void {
  const start = { index: -1, after: fold.initial }
  for (const { index, after } of [start, ...evenSample(steps)]) {
    const place = 'end' as const
    const end = requireResult(() => endOf(source, after.session), 'throws', index, { place })
    checkState(after.session, end, index)
    const { status } = end.session.state.turn
    const runsOn = status === 'running' && !waitsForPerson(end.session.state)
    if (runsOn || (status === 'interrupted') !== (end.ending === 'interrupted'))
      throw new LawError('ending-differs', index, { actual: status, expected: end.ending, place })
    checkAgents(end, index)
  }
}
