import fc from 'fast-check'
import { ASKED_FOR, odd, withoutPollution } from '../values.ts'
import { expectDocumented } from './documented.ts'
import { CALLABLES } from './right-arguments.ts'

type Callable = (typeof CALLABLES)[number]

/** Functions that only join or cut texts, and one whose result is a connection that tries again and again. */
const UNCHECKED = ['connectHub', 'connectSession', 'shortHash', 'subagentBlockId', 'toolResultBlockId']

export const CHECKED: readonly Callable[] = CALLABLES.filter(
  ({ name, right }) => right.length > 0 && !UNCHECKED.includes(name),
)

/** Calls the function with values of any kind in the place of one right argument. */
export function expectResultOrReason({ call, right }: Callable, numRuns: number): void {
  withoutPollution(() =>
    fc.assert(
      fc.property(fc.nat({ max: right.length - 1 }), odd, (place, value) => {
        try {
          const result = call(right.with(place, value))
          if (result instanceof Promise) result.catch(expectReason)
        } catch (error) {
          expectReason(error)
        }
      }),
      { numRuns },
    ),
  )
}

/** The error of an argument's own getter may pass. */
function expectReason(error: unknown): void {
  if (error !== ASKED_FOR) expectDocumented(error)
}
