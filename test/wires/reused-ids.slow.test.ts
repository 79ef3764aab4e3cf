import { expect, it } from 'vitest'
import { inputs, type RecordedInput } from './inputs.ts'
import { wrongReuses } from './reused.ts'

it.each(inputs.map((input) => [input.name, input] as const))(
  'keeps each call whose id the model uses again, from any message on: %s',
  (_, input: RecordedInput) => {
    expect(wrongReuses(input, 16)).toEqual([])
  },
)
