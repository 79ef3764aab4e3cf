import { expect, it } from 'vitest'
import { assertParity, ParityError } from '../../../src/entries/testing.ts'
import { fold, text, upsert } from '../../core/reducer/example.ts'
import { allSessions } from '../parity/sessions.ts'

it('accepts the stream and the files of each recording, and returns the ignored content', () => {
  const kinds = new Set<string>()
  for (const { live, stored } of allSessions)
    for (const { kind } of assertParity(live, stored)) kinds.add(kind)
  expect(kinds.size).toBeGreaterThan(3)
})

it('names the differences', () => {
  const live = fold(upsert(text('a', { status: 'complete', content: 'left' })))
  const stored = fold(upsert(text('a', { status: 'complete', content: 'right' })))
  const compare = () => assertParity(live, stored)
  expect(compare).toThrow(ParityError)
  expect(compare).toThrow('live and stored differ, 1 in all: block main a content')
  expect(compare).toThrow(
    expect.objectContaining({ differences: [expect.objectContaining({ live: 'left', stored: 'right' })] }),
  )
})

it('names only the first of many differences', () => {
  const live = fold(...Array.from({ length: 9 }, (_, at) => upsert(text(`b${at}`, { status: 'complete' }))))
  expect(() => assertParity(live, fold())).toThrow(/differ, 9 in all: missing-block main b0; .* b4$/)
})
