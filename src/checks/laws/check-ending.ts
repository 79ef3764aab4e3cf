import type { SourceEnd } from '../../reading/source.ts'
import { checkAgentCalls, checkAgentEnds, waitsForPerson } from './check-agents.ts'
import { LawError, requireResult } from './law-error.ts'
import { evenSample } from './laws.ts'
import { checkState, endOf, type SourceCheck } from './source-fold.ts'

/**
 * Checks the state after the end of the input. Nothing runs, unless the session waits for a person. The ending and main's turn agree: the turn is interrupted if the ending is. The agents
 * that the end has cut are reported.
 */
export function checkEndings({ source, fold, steps, samples, faults }: SourceCheck): void {
  const start = { index: -1, after: fold.initial }
  for (const { index, after } of [start, ...evenSample(steps, samples)]) {
    const end = faults.attempt(() =>
      requireResult(() => endOf(source, after.session), 'throws', index, { place: 'end' }),
    )
    if (!end) continue
    faults.attempt(() => checkState(after.session, end, index))
    faults.attempt(() => checkEnding(end, index))
    faults.attempt(() => checkAgentEnds(end, index))
    faults.attempt(() => checkAgentCalls(end, index))
  }
}

function checkEnding({ session: { state }, ending }: SourceEnd, index: number): void {
  const { status } = state.turn
  const runsOn = status === 'running' && !waitsForPerson(state)
  if (runsOn || (status === 'interrupted') !== (ending === 'interrupted'))
    throw new LawError('ending-differs', index, { actual: status, expected: ending, place: 'end' })
}
