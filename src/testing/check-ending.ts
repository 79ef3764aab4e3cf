import type { Source } from '../formats/source.ts'
import { reduceSessionEvents } from '../reducer/reduce.ts'
import { createInitialConversationState } from '../state/session.ts'
import { LawError, requireResult } from './law-error.ts'
import { evenSample } from './laws.ts'
import { endOf, type SourceFold, type SourceStep } from './source-fold.ts'

/**
 * Checks that the ending and main's turn agree where the input ends: the turn does not run any more, and it is interrupted if
 * the ending is.
 */
export function checkEndings<Memory>(
  source: Source<Memory>,
  fold: SourceFold<Memory>,
  steps: readonly SourceStep<Memory>[],
): void {
  const start = { index: -1, after: fold.initial }
  const sample = new Set([start, ...evenSample(steps)])
  let state = createInitialConversationState()
  for (const step of [start, ...steps]) {
    const { index, after } = step
    state = reduceSessionEvents(state, after.events)
    if (!sample.has(step)) continue
    const place = 'end' as const
    const { events, ending } = requireResult(() => endOf(source, after.memory), 'throws', index, { place })
    const { status } = reduceSessionEvents(state, events).turn
    if (status === 'running' || (status === 'interrupted') !== (ending === 'interrupted'))
      throw new LawError('ending-differs', index, { actual: status, expected: ending, place })
  }
}
