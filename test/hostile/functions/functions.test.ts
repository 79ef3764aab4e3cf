import { expect, it } from 'vitest'
import { depth } from '../../depth.ts'
import { CHECKED, expectResultOrReason } from './any-argument.ts'
import { CALLABLES } from './right-arguments.ts'

it.each(CALLABLES)('$name accepts its right arguments', ({ call, right }) => {
  expect(() => call(right)).not.toThrow()
})

it.each(CHECKED)('$name takes an argument of any kind, or says what is wrong with it', (callable) => {
  expectResultOrReason(callable, depth({ few: 12, all: 40 }))
})
