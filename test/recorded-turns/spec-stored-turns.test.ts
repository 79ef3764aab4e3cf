import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseStoredTurns } from '../../src/recorded-turns/spec.ts'
import { hashTurns } from '../../src/recorded-turns/turns.ts'
import { turns } from '../core/identity/vectors.ts'
import { bytesOf, placesOf, sha256, WRONG_TURNS } from './spec-inputs.ts'

describe('parseStoredTurns', () => {
  it.each(turns)('gives back what was stored, with the same hash: $name', ({ stored, text, hash }) => {
    for (const json of [text, JSON.stringify(stored), bytesOf(text)]) {
      const parsed = parseStoredTurns(json)
      expect(parsed).toEqual({ ok: true, value: stored })
      expect(parsed.ok && hashTurns(parsed.value)).toBe(hash)
    }
  })

  it.each(['', '{', 'nul', '[{"role":"agent"}', '[,]'])(
    'reports that %j is not JSON, and gives no empty list',
    (text) => {
      expect(parseStoredTurns(text)).toEqual({
        ok: false,
        issues: [{ code: 'not-json', path: [], expected: 'JSON' }],
      })
    },
  )

  it.each(['null', '{}', '5', '""', '{"turns":[]}'])('reports that %s is not a list', (text) => {
    expect(placesOf(parseStoredTurns(text))).toEqual([{ code: 'invalid-value', path: [] }])
  })

  it.each(WRONG_TURNS)('says where a turn is wrong: %s', (_, turn, issues) => {
    expect(placesOf(parseStoredTurns(JSON.stringify([{ role: 'agent' }, turn])))).toEqual(
      issues.map(({ code, path }) => ({ code, path: [1, ...path] })),
    )
  })

  const storedAudio = (audio: unknown) => JSON.stringify([{ role: 'user', text: '', audio }])

  it.each([
    undefined,
    null,
    '',
    5,
    sha256.slice(1),
    `${sha256}0`,
    sha256.toUpperCase(),
    `${sha256}\n`,
    `g${sha256.slice(1)}`,
  ])('refuses the hash %j', (hash) => {
    expect(placesOf(parseStoredTurns(storedAudio({ kind: 'recorded', sha256: hash })))).toEqual([
      { code: 'invalid-value', path: [0, 'audio', 'sha256'] },
    ])
  })

  it.each(['upload_key', 'path'])('refuses %s, which would make the hash depend on a machine', (field) => {
    const audio = { kind: 'recorded', sha256, [field]: 'a' }
    expect(placesOf(parseStoredTurns(storedAudio(audio)))).toEqual([
      { code: 'unknown-field', path: [0, 'audio', field] },
    ])
  })

  it('refuses a request as stored turns', () => {
    expect(placesOf(parseStoredTurns(storedAudio({ kind: 'recorded', upload_key: 'a' })))).toEqual([
      { code: 'unknown-field', path: [0, 'audio', 'upload_key'] },
      { code: 'invalid-value', path: [0, 'audio', 'sha256'] },
    ])
  })

  it('gives a value or issues for every text, and never throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string(), fc.uint8Array()), (input) => {
        const parsed = parseStoredTurns(input)
        if (!parsed.ok) expect(parsed.issues.length).toBeGreaterThan(0)
      }),
    )
  })
})
