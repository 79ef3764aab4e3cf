import { expect, it } from 'vitest'
import { isAtLeast } from '../../src/programs/claude-code/program.ts'

it.each([
  ['2.1.318', true],
  ['2.1.330', true],
  ['2.2.0', true],
  ['3.0.1', true],
  ['2.2', true],
  ['2.1.317', false],
  ['2.0.400', false],
  ['1.9.400', false],
  ['2.1', false],
  ['latest', false],
  ['', false],
  [undefined, false],
])('%s is at least 2.1.318: %s', (version, expected) => {
  expect(isAtLeast(version, [2, 1, 318])).toBe(expected)
})
