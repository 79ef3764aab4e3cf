import fc from 'fast-check'
import { expect, it } from 'vitest'
import { expectDocumented } from './documented.ts'
import { CALLABLES } from './right-arguments.ts'
import { ASKED_FOR, odd, withoutPollution } from './values.ts'

it.each(CALLABLES)('$name accepts its right arguments', ({ call, right }) => {
  expect(() => call(right)).not.toThrow()
})

/** Functions that only join or cut texts. */
const TEXTUAL = ['shortHash', 'subagentBlockId', 'toolResultBlockId']

it.each(CALLABLES.filter(({ name, right }) => right.length > 0 && !TEXTUAL.includes(name)))(
  '$name takes an argument of any kind, or says what is wrong with it',
  ({ call, right }) => {
    withoutPollution(() =>
      fc.assert(
        fc.property(fc.nat({ max: right.length - 1 }), odd, (place, value) => {
          try {
            call(right.with(place, value))
          } catch (error) {
            // The error of an argument's own getter may pass.
            if (error !== ASKED_FOR) expectDocumented(error)
          }
        }),
        { numRuns: 150 },
      ),
    )
  },
)
