import fc from 'fast-check'
import { expect, it } from 'vitest'
import { expectDocumented } from './documented.ts'
import { CALLABLES } from './right-arguments.ts'
import { ASKED_FOR, odd, withoutPollution } from './values.ts'

it.each(CALLABLES)('$name takes what is right', ({ call, right }) => {
  expect(() => call(right)).not.toThrow()
})

/** They put texts together or cut them, and do nothing else. */
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
            // What a getter of an argument throws is its own.
            if (error !== ASKED_FOR) expectDocumented(error)
          }
        }),
        { numRuns: 150 },
      ),
    )
  },
)
