import { expect, it } from 'vitest'
import { oneLine } from '../../../src/cli/terminal/text.ts'

// A mark of a direction in a title once turned the order of the words behind it.
it.each([
  ...['\u061c', '\u200e', '\u200f', '\u202a', '\u202b', '\u202c', '\u202d', '\u202e'],
  ...['\u2066', '\u2067', '\u2068', '\u2069'],
])('one line shows the mark of a direction %j as a replacement character', (mark) => {
  expect(oneLine(`a${mark}b`)).toBe('a�b')
})

it('one line keeps text of both directions', () => {
  expect(oneLine('abc שלום\n مرحبا ')).toBe('abc שלום مرحبا')
})
