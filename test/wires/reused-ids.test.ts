import { expect, it } from 'vitest'
import { inputs, type RecordedInput } from './inputs.ts'
import { isReusing, wrongReuses } from './reused.ts'

const reusing = inputs.filter(isReusing)

/** The slow tests have all recordings. */
const EVERY = 8

it.each(reusing.filter((_, at) => at % EVERY === 0).map((input) => [input.name, input] as const))(
  'keeps each call whose id the model uses again: %s',
  (_, input: RecordedInput) => {
    expect(wrongReuses(input, 3)).toEqual([])
  },
)
