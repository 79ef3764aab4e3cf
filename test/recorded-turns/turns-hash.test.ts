import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CanonicalizationError, canonicalize } from '../../src/core/identity/canonical.ts'
import { parseConversationSpec } from '../../src/recorded-turns/spec.ts'
import {
  HASH_PREFIX_LENGTH,
  isContentHash,
  type RequestTurn,
  type StoredTurn,
  shortHash,
} from '../../src/recorded-turns/turn.ts'
import { hashTurns, materializeTurns } from '../../src/recorded-turns/turns.ts'
import { audioOf, turns } from '../core/identity/vectors.ts'
import { agent, bytes, sha256, userTurn } from './request-turns.ts'

const hashOf = (request: readonly RequestTurn[], audio: ReadonlyMap<string, Uint8Array> = new Map()) =>
  hashTurns(materializeTurns(request, audio).turns)

describe('golden vectors', () => {
  it.each(turns)('$name', (vector) => {
    const { request, stored, text, hash } = vector
    expect(materializeTurns(request, audioOf(vector)).turns).toEqual(stored)
    expect(canonicalize(stored)).toBe(text)
    expect(hashTurns(stored)).toBe(hash)
    expect(hashOf(request, audioOf(vector))).toBe(hash)
  })

  it('are all different', () => {
    expect(new Set(turns.map(({ hash }) => hash)).size).toBe(turns.length)
  })
})

const turn: fc.Arbitrary<RequestTurn> = fc.oneof(
  fc.constant(agent),
  fc.record(
    {
      role: fc.constant('user' as const),
      text: fc.string({ unit: 'binary' }),
      audio: fc.oneof(
        fc.record({ kind: fc.constant('tts' as const), voice_id: fc.string() }, { requiredKeys: ['kind'] }),
        fc.record({ kind: fc.constant('recorded' as const), upload_key: fc.constantFrom('a', 'b', 'c') }),
      ),
    },
    { requiredKeys: ['role', 'text'] },
  ),
)
const conversation = fc.array(turn, { maxLength: 5 })
const recordings = fc.record({ a: fc.uint8Array(), b: fc.uint8Array(), c: fc.uint8Array() })

/** The audio of the turns, under the renamed keys. */
const uploadsOf = (
  request: readonly RequestTurn[],
  audio: Readonly<Record<string, Uint8Array>>,
  rename: (key: string) => string = (key) => key,
) => new Map(keysIn(request).map((key): [string, Uint8Array] => [rename(key), audio[key] ?? Uint8Array.of()]))

describe('hashTurns', () => {
  it('is 64 hex digits', () => {
    expect(hashTurns([])).toMatch(/^[0-9a-f]{64}$/)
  })

  it('does not depend on the conversation’s name', () => {
    const named = (name: string) => {
      const parsed = parseConversationSpec(
        JSON.stringify({ name, turns: [agent, { role: 'user', text: 'hi' }] }),
      )
      return parsed.ok ? hashOf(parsed.value.turns) : undefined
    }
    expect(named('one')).toBeDefined()
    expect(named('one')).toBe(named('two'))
  })

  it('does not depend on the upload keys', () => {
    fc.assert(
      fc.property(conversation, recordings, (request, audio) => {
        const rename = (key: string) => `other-${key}.wav`
        const renamed = request.map((each) => withKey(each, rename))
        expect(hashOf(renamed, uploadsOf(request, audio, rename))).toBe(
          hashOf(request, uploadsOf(request, audio)),
        )
      }),
    )
  })

  it('does not depend on the file’s path', () => {
    const at = (path: string): readonly RequestTurn[] =>
      JSON.parse(
        `[{"role":"user","text":"hi","audio":{"kind":"recorded","upload_key":"a","path":"${path}"}}]`,
      )
    const audio = new Map([['a', bytes(1)]])
    expect(hashOf(at('/home/alice/a.wav'), audio)).toBe(hashOf(at('C:/bob/b.wav'), audio))
    expect(hashOf(at('/home/alice/a.wav'), audio)).toBe(hashOf([userTurn('a')], audio))
  })

  it('does not depend on the order of fields, which a database may change', () => {
    const stored: readonly StoredTurn[] = JSON.parse(
      '[{"text":"a","role":"user","audio":{"voice_id":"n","kind":"tts"}}]',
    )
    expect(hashTurns(stored)).toBe(
      hashTurns([{ role: 'user', text: 'a', audio: { kind: 'tts', voice_id: 'n' } }]),
    )
  })

  it('changes with one byte of audio', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1 }),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        (audio, at, by) => {
          const edited = Uint8Array.from(audio)
          edited[at % audio.length] = (audio[at % audio.length] ?? 0) ^ by
          expect(hashOf([userTurn('a')], new Map([['a', edited]]))).not.toBe(
            hashOf([userTurn('a')], new Map([['a', audio]])),
          )
        },
      ),
    )
  })

  it('is equal for equal turns only', () => {
    const stored = fc.tuple(conversation, recordings).map(([request, audio]) => {
      return materializeTurns(request, uploadsOf(request, audio)).turns
    })
    fc.assert(
      fc.property(stored, stored, (left, right) => {
        const isSame = canonicalize(left) === canonicalize(right)
        expect(hashTurns(left) === hashTurns(right)).toBe(isSame)
        expect(hashTurns(structuredClone(left))).toBe(hashTurns(left))
      }),
    )
  })

  it.each<[name: string, turns: readonly StoredTurn[]]>([
    ['another text', [{ role: 'user', text: 'hi!' }, agent]],
    ['white space in the text', [{ role: 'user', text: 'hi ' }, agent]],
    ['another order', [agent, { role: 'user', text: 'hi' }]],
    ['a turn more', [{ role: 'user', text: 'hi' }, agent, agent]],
    ['a turn less', [{ role: 'user', text: 'hi' }]],
    ['speech', [{ role: 'user', text: 'hi', audio: { kind: 'tts' } }, agent]],
    ['a voice', [{ role: 'user', text: 'hi', audio: { kind: 'tts', voice_id: '' } }, agent]],
  ])('changes with %s', (_, edited) => {
    expect(hashTurns(edited)).not.toBe(hashTurns([{ role: 'user', text: 'hi' }, agent]))
  })

  it('does not normalize letters that look the same', () => {
    expect(hashTurns([{ role: 'user', text: 'é' }])).not.toBe(hashTurns([{ role: 'user', text: 'e\u0301' }]))
  })

  it('refuses numbers, wherever they are', () => {
    const stored: readonly StoredTurn[] = JSON.parse(
      '[{"role":"agent"},{"role":"user","text":"a","audio":{"kind":"tts","speed":1}}]',
    )
    expect(() => hashTurns(stored)).toThrow(CanonicalizationError)
    expect(() => hashTurns(stored)).toThrow(
      expect.objectContaining({ code: 'number', path: [1, 'audio', 'speed'] }),
    )
  })

  it('accepts booleans, and digits inside texts', () => {
    const stored: readonly StoredTurn[] = JSON.parse(
      '[{"role":"user","text":"1.0 true 1e5","isFirst":true,"isLast":false}]',
    )
    expect(hashTurns(stored)).toBe(
      sha256(Buffer.from('[{"isFirst":true,"isLast":false,"role":"user","text":"1.0 true 1e5"}]')),
    )
  })

  it('refuses half a surrogate pair, which UTF-8 cannot hold', () => {
    expect(() => hashTurns([{ role: 'user', text: 'a\ud83d' }])).toThrow(
      expect.objectContaining({ code: 'lone-surrogate', path: [0, 'text'] }),
    )
  })

  it('accepts frozen turns and changes none', () => {
    const stored: readonly StoredTurn[] = Object.freeze([Object.freeze({ role: 'user' as const, text: 'a' })])
    expect(hashTurns(stored)).toBe(hashTurns([{ role: 'user', text: 'a' }]))
  })
})

describe('shortHash', () => {
  it('is the first 8 digits', () => {
    expect(shortHash('0123456789abcdef')).toBe('01234567')
  })

  it('may be longer or shorter', () => {
    expect(shortHash('0123456789abcdef', 12)).toBe('0123456789ab')
    expect(shortHash('0123456789abcdef', 0)).toBe('')
  })

  it('is no longer than the hash', () => {
    expect(shortHash('0123', 12)).toBe('0123')
    expect(shortHash('')).toBe('')
  })
})

function keysIn(request: readonly RequestTurn[]): readonly string[] {
  return request.flatMap((each) =>
    each.role === 'user' && each.audio?.kind === 'recorded' ? [each.audio.upload_key] : [],
  )
}

function withKey(each: RequestTurn, rename: (key: string) => string): RequestTurn {
  if (each.role === 'agent' || each.audio?.kind !== 'recorded') return each
  return { ...each, audio: { kind: 'recorded', upload_key: rename(each.audio.upload_key) } }
}

describe('isContentHash', () => {
  it('accepts 64 lowercase hex digits alone', () => {
    expect(isContentHash(hashTurns([]))).toBe(true)
    for (const value of [
      '',
      'a'.repeat(63),
      'A'.repeat(64),
      `${'a'.repeat(64)}\n`,
      7,
      null,
      undefined,
      ['a'.repeat(64)],
    ])
      expect(isContentHash(value)).toBe(false)
    expect(shortHash('0123456789abcdef')).toHaveLength(HASH_PREFIX_LENGTH)
  })
})
