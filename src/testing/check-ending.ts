import { reduceSessionEvents } from '../reducer/reduce.ts'
import type { Source } from '../session/source.ts'
import { createInitialConversationState } from '../state/session.ts'
import { checkAgents, type WaitsForWork } from './check-agents.ts'
import { LawError, requireResult } from './law-error.ts'
import { evenSample } from './laws.ts'
import { endOf, type SourceFold, type SourceStep } from './source-fold.ts'

/**
 * Checks the state where the input ends. The ending and main's turn agree: the turn does not run any more, and it is interrupted if
 * the ending is. The agents that still run are reported, unless they wait for more work.
 */
export function checkEndings<Memory>(
  source: Source<Memory>,
  fold: SourceFold<Memory>,
  steps: readonly SourceStep<Memory>[],
  waitsForWork: WaitsForWork,
): void {
  const start = { index: -1, after: fold.initial }
  const sample = new Set([start, ...evenSample(steps)])
  let state = createInitialConversationState()
  for (const step of [start, ...steps]) {
    const { index, after } = step
    state = reduceSessionEvents(state, after.events)
    if (!sample.has(step)) continue
    const place = 'end' as const
    const end = requireResult(() => endOf(source, after.memory), 'throws', index, { place })
    const { events, ending } = end
    const ended = reduceSessionEvents(state, events)
    const { status } = ended.turn
    if (status === 'running' || (status === 'interrupted') !== (ending === 'interrupted'))
      throw new LawError('ending-differs', index, { actual: status, expected: ending, place })
    checkAgents({ state: ended, end, waitsForWork }, index)
  }
}
