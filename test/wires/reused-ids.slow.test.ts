import { expect, it } from 'vitest'
import { inputs, type RecordedInput } from './inputs.ts'
import { isReusing, wrongReuses } from './reused.ts'

it.each(inputs.filter(isReusing).map((input) => [input.name, input] as const))(
  'keeps each call whose id the model uses again, from any message on: %s',
  (_, input: RecordedInput) => {
    expect(wrongReuses(input, 16)).toEqual([])
  },
)
