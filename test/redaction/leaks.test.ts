import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { depth, sampleOf } from '../depth.ts'
import { KINDS } from './kinds.ts'
import { findLeaks } from './leaks.ts'
import { PLACES } from './places.ts'

describe('a redacted session', () => {
  // Other secrets for each kind: a password without a digit stayed in one of 4,452 places.
  it.each(
    sampleOf(KINDS, depth({ few: 70, all: KINDS.length })).map(
      (kind, at) => [kind.name, kind, at + 1] as const,
    ),
  )('hides each part in every place: %s', (_, kind, seed) => {
    expect(findLeaks([kind], seed).leaks).toEqual([])
  })
})

it('has the figures of the docs', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/redaction.md'), 'utf8')
  const tries = (KINDS.length * PLACES.length).toLocaleString('en')
  expect(page).toContain(`${KINDS.length} kinds of secrets in ${PLACES.length} places`)
  expect(page).toContain(`no part of ${tries} secrets is visible`)
})
