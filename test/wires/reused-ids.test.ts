import { expect, it } from 'vitest'
import { depth } from '../depth.ts'
import { inputs, type RecordedInput } from './inputs.ts'
import { wrongReuses } from './reused.ts'

const EVERY = depth({ few: 24, all: 3 })

it.each(inputs.filter((_, at) => at % EVERY === 0).map((input) => [input.name, input] as const))(
  'keeps each call whose id the model uses again: %s',
  (_, input: RecordedInput) => {
    expect(wrongReuses(input, depth({ few: 1, all: 2 }))).toEqual([])
  },
)
