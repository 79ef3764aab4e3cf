import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { KINDS } from './kinds.ts'
import { findLeaks } from './leaks.ts'
import { PLACES } from './places.ts'

/** Only a later line of the stream shows what these are. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  'private key without its beginning': ['answer that streams'],
  '--password-stdin': ['answer that streams'],
}

describe('a redacted session', () => {
  it.each(KINDS.map((kind) => [kind.name, kind] as const))('hides in every place: %s', (name, kind) => {
    const { leaks } = findLeaks([kind])
    expect(leaks.map(({ place }) => place)).toEqual(KNOWN[name] ?? [])
    expect(leaks.flatMap(({ outputs }) => outputs)).toEqual(leaks.map(() => 'serve'))
  })
})

it('has the figures of the docs', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/sharing-sessions.md'), 'utf8')
  const tries = (KINDS.length * PLACES.length).toLocaleString('en')
  const visible = Object.values(KNOWN).flat().length
  expect(page).toContain(`${KINDS.length} kinds of secrets in ${PLACES.length} places`)
  expect(page).toContain(`${visible} of ${tries} stay visible`)
})
