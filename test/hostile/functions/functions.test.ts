import fc from 'fast-check'
import { expect, it } from 'vitest'
import { depth } from '../../depth.ts'
import { ASKED_FOR, odd, withoutPollution } from '../values.ts'
import { expectDocumented } from './documented.ts'
import { CALLABLES, type Callable } from './right-arguments.ts'

/** Functions that only join or cut texts, and one whose result is a connection that tries again and again. */
const UNCHECKED = ['connectHub', 'connectSession', 'shortHash', 'subagentBlockId', 'toolResultBlockId']

it.each(CALLABLES)('$name accepts its right arguments', ({ call, right }) => {
  expect(() => call(right)).not.toThrow()
})

it.each(CALLABLES.filter(({ name, right }) => right.length > 0 && !UNCHECKED.includes(name)))(
  '$name takes an argument of any kind, or says what is wrong with it',
  (callable) => expectResultOrReason(callable, depth({ few: 12, all: 150 })),
)

/** Calls the function with values of any kind in the place of one right argument. */
function expectResultOrReason({ call, right }: Callable, numRuns: number): void {
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
