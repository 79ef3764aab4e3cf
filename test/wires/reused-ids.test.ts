import { expect, it } from 'vitest'
import { inputs, type RecordedInput } from './inputs.ts'
import { wrongReuses } from './reused.ts'

/** The slow tests have all recordings. */
const EVERY = 8

it.each(inputs.filter((_, at) => at % EVERY === 0).map((input) => [input.name, input] as const))(
  'keeps each call whose id the model uses again: %s',
  (_, input: RecordedInput) => {
    expect(wrongReuses(input, 3)).toEqual([])
  },
)
