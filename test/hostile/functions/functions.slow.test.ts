import { it } from 'vitest'
import { CHECKED, expectResultOrReason } from './any-argument.ts'

it.each(CHECKED)('$name takes an argument of any kind, or says what is wrong with it', (callable) => {
  expectResultOrReason(callable, 150)
})
