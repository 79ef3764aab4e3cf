import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CanonicalizationError, canonicalize } from '../../src/identity/canonical.ts'
import { ConversationLimitError, DEFAULT_LIMITS } from '../../src/identity/limits.ts'
import { parseConversationSpec } from '../../src/identity/spec.ts'
import type { RequestTurn, StoredTurn } from '../../src/identity/turn.ts'
import {
  hashTurns,
  materializeTurns,
  RecordedAudioUploadKeyError,
  shortHash,
} from '../../src/identity/turns.ts'
import { audioOf, turns } from './vectors.ts'

const agent: RequestTurn & StoredTurn = { role: 'agent' }
const said = (key: string, text = 'hi'): RequestTurn => ({
  role: 'user',
  text,
  audio: { kind: 'recorded', upload_key: key },
})
const bytes = (...values: readonly number[]) => Uint8Array.from(values)
const sha256 = (data: Uint8Array) => createHash('sha256').update(data).digest('hex')
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

describe('materializeTurns', () => {
  it('puts the hash of the bytes in the place of the key', () => {
    const audio = bytes(1, 2, 3)
    expect(materializeTurns([said('a'), agent], new Map([['a', audio]]))).toEqual({
      turns: [{ role: 'user', text: 'hi', audio: { kind: 'recorded', sha256: sha256(audio) } }, agent],
      audio: [{ sha256: sha256(audio), bytes: audio }],
    })
  })

  it('lists each distinct audio once, in the order of its first turn', () => {
    const [one, two, three] = [bytes(1), bytes(2), bytes(3)]
    const audio = new Map([
      ['third', three],
      ['second', two],
      ['first', one],
    ])
    const request = [said('first'), said('second'), said('first'), agent, said('third'), said('second')]
    expect(materializeTurns(request, audio).audio.map(({ sha256: hash }) => hash)).toEqual(
      [one, two, three].map(sha256),
    )
  })

  it('takes two keys with the same bytes for one audio', () => {
    const audio = new Map([
      ['a', bytes(1, 2)],
      ['b', bytes(1, 2)],
    ])
    const { turns: stored, audio: distinct } = materializeTurns([said('b'), said('a')], audio)
    expect(distinct).toEqual([{ sha256: sha256(bytes(1, 2)), bytes: bytes(1, 2) }])
    expect(stored[0]).toEqual(stored[1])
  })

  it('gives the bytes themselves, not a copy', () => {
    const audio = bytes(1)
    expect(materializeTurns([said('a')], new Map([['a', audio]])).audio[0]?.bytes).toBe(audio)
  })

  it('lists nothing where nothing was recorded', () => {
    const request: readonly RequestTurn[] = [agent, { role: 'user', text: '', audio: { kind: 'tts' } }]
    expect(materializeTurns(request, new Map())).toEqual({ turns: request, audio: [] })
    expect(materializeTurns([], new Map())).toEqual({ turns: [], audio: [] })
  })

  it.each(['__proto__', 'constructor', 'toString', '.', '..'])('takes the key %s for a key', (key) => {
    const { turns: stored } = materializeTurns([said(key)], new Map([[key, bytes(7)]]))
    expect(stored).toEqual([
      { role: 'user', text: 'hi', audio: { kind: 'recorded', sha256: sha256(bytes(7)) } },
    ])
    expect(refusalOf([said(key)], new Map())).toEqual({ reason: 'missing', uploadKeys: [key] })
  })

  it('changes neither the turns nor the audio', () => {
    const request = Object.freeze([Object.freeze(said('a')), agent])
    const audio = new Map([['a', bytes(1, 2, 3)]])
    materializeTurns(request, audio)
    expect(request).toEqual([said('a'), agent])
    expect([...audio]).toEqual([['a', bytes(1, 2, 3)]])
  })

  it('lets nothing through that it does not know: a path, a comment', () => {
    const request: readonly RequestTurn[] = JSON.parse(
      '[{"role":"agent","text":"x"},{"role":"user","text":"a","note":1,"audio":{"kind":"tts","speed":1}},' +
        '{"role":"user","text":"b","audio":{"kind":"recorded","upload_key":"k","path":"/home/alice/b.wav"}}]',
    )
    expect(materializeTurns(request, new Map([['k', bytes(1)]])).turns).toEqual([
      { role: 'agent' },
      { role: 'user', text: 'a', audio: { kind: 'tts' } },
      { role: 'user', text: 'b', audio: { kind: 'recorded', sha256: sha256(bytes(1)) } },
    ])
  })

  describe('with keys that do not fit', () => {
    it('names the keys of which there is no audio, each once', () => {
      const request = [said('b'), said('a'), said('b'), said('here')]
      expect(refusalOf(request, new Map([['here', bytes(1)]]))).toEqual({
        reason: 'missing',
        uploadKeys: ['b', 'a'],
      })
    })

    it('names the audio of which there is no turn', () => {
      const audio = new Map(['x', 'a', 'y'].map((key) => [key, bytes(1)]))
      expect(refusalOf([said('a')], audio)).toEqual({ reason: 'unreferenced', uploadKeys: ['x', 'y'] })
      expect(refusalOf([], new Map([['a', bytes(1)]]))).toEqual({ reason: 'unreferenced', uploadKeys: ['a'] })
    })

    it('names what is missing first, where both are wrong', () => {
      expect(refusalOf([said('a')], new Map([['b', bytes(1)]]))).toEqual({
        reason: 'missing',
        uploadKeys: ['a'],
      })
    })

    it('does not take a key of another spelling', () => {
      expect(refusalOf([said('a')], new Map([['A', bytes(1)]]))?.reason).toBe('missing')
    })

    it('does not look for the key of speech that is made from text', () => {
      const request: readonly RequestTurn[] = JSON.parse(
        '[{"role":"user","text":"a","audio":{"kind":"tts","upload_key":"a"}}]',
      )
      expect(refusalOf(request, new Map([['a', bytes(1)]]))?.reason).toBe('unreferenced')
    })

    it('says it to people', () => {
      expect(() => materializeTurns([said('a')], new Map())).toThrow('no audio was uploaded for a')
      expect(() => materializeTurns([], new Map([['a', bytes(1)]]))).toThrow('no turn names a')
      expect(() => materializeTurns([said('a')], new Map())).toThrow(
        expect.objectContaining({ name: 'RecordedAudioUploadKeyError' }),
      )
    })
  })

  describe('with limits', () => {
    const limitOf = (...args: Parameters<typeof materializeTurns>) => {
      try {
        materializeTurns(...args)
      } catch (error) {
        if (!(error instanceof ConversationLimitError)) throw error
        const { limit, actual, allowed, uploadKey } = error
        return { limit, actual, allowed, uploadKey }
      }
      return undefined
    }

    it('are those of the document, in bytes', () => {
      expect(DEFAULT_LIMITS).toEqual({ specBytes: 262_144, audioBytes: 52_428_800, bodyBytes: 536_870_912 })
      expect(Object.isFrozen(DEFAULT_LIMITS)).toBe(true)
    })

    it('takes an audio of the limit’s size, and none that is a byte larger', () => {
      const limits = { ...DEFAULT_LIMITS, audioBytes: 3 }
      expect(limitOf([said('a')], new Map([['a', bytes(1, 2, 3)]]), limits)).toBeUndefined()
      expect(limitOf([said('a')], new Map([['a', bytes(1, 2, 3, 4)]]), limits)).toEqual({
        limit: 'audioBytes',
        actual: 4,
        allowed: 3,
        uploadKey: 'a',
      })
    })

    it('is 50 MB for one audio unless told otherwise', () => {
      const tooLarge = new Map([['a', new Uint8Array(50 * 1024 * 1024 + 1)]])
      expect(limitOf([said('a')], tooLarge)).toMatchObject({ limit: 'audioBytes', allowed: 52_428_800 })
    })

    it('takes audio of the body’s size together, and not a byte more', () => {
      const audio = new Map([
        ['a', bytes(1, 2)],
        ['b', bytes(3, 4)],
      ])
      const request = [said('a'), said('b')]
      expect(limitOf(request, audio, { ...DEFAULT_LIMITS, bodyBytes: 4 })).toBeUndefined()
      expect(limitOf(request, audio, { ...DEFAULT_LIMITS, bodyBytes: 3 })).toEqual({
        limit: 'bodyBytes',
        actual: 4,
        allowed: 3,
        uploadKey: undefined,
      })
    })

    it('counts what was sent, the same bytes under two keys twice', () => {
      const audio = new Map([
        ['a', bytes(1, 2)],
        ['b', bytes(1, 2)],
      ])
      expect(limitOf([said('a'), said('b')], audio, { ...DEFAULT_LIMITS, bodyBytes: 3 })).toMatchObject({
        actual: 4,
      })
    })

    it('takes the default limit for one that is undefined', () => {
      const tooLarge = new Map([['a', new Uint8Array(50 * 1024 * 1024 + 1)]])
      const unset = JSON.parse('{}') as { readonly audioBytes: number }
      expect(limitOf([said('a')], tooLarge, { audioBytes: unset.audioBytes })).toMatchObject({
        limit: 'audioBytes',
        allowed: 52_428_800,
      })
    })

    it.each(['audioBytes', 'bodyBytes'] as const)(
      'refuses what is no number, or a negative one: %s',
      (name) => {
        for (const limit of [Number.NaN, -1])
          expect(() => materializeTurns([], new Map(), { [name]: limit })).toThrow(`${name}: pass bytes`)
        expect(() => materializeTurns([], new Map(), { [name]: Number.NaN })).toThrow(RangeError)
      },
    )

    it('takes no text for audio: it would be measured in other units than bytes', () => {
      const audio = new Map([['a', 'text' as unknown as Uint8Array]])
      expect(() => materializeTurns([said('a')], audio)).toThrow(new TypeError('audio: pass a Uint8Array'))
    })

    it('is a RangeError that says how much is allowed', () => {
      const audio = new Map([['a', bytes(1, 2)]])
      const materialize = () => materializeTurns([said('a')], audio, { ...DEFAULT_LIMITS, audioBytes: 1 })
      expect(materialize).toThrow(RangeError)
      expect(materialize).toThrow('audioBytes: 2 bytes are more than the 1 that are allowed')
    })
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

/** The audio that the turns name, under the keys that they have after the renaming. */
const uploadsOf = (
  request: readonly RequestTurn[],
  audio: Readonly<Record<string, Uint8Array>>,
  rename: (key: string) => string = (key) => key,
) => new Map(keysIn(request).map((key): [string, Uint8Array] => [rename(key), audio[key] ?? Uint8Array.of()]))

describe('hashTurns', () => {
  it('is 64 hex digits', () => {
    expect(hashTurns([])).toMatch(/^[0-9a-f]{64}$/)
  })

  it('stays when the conversation is renamed', () => {
    const named = (name: string) => {
      const parsed = parseConversationSpec(
        JSON.stringify({ name, turns: [agent, { role: 'user', text: 'hi' }] }),
      )
      return parsed.ok ? hashOf(parsed.value.turns) : undefined
    }
    expect(named('one')).toBeDefined()
    expect(named('one')).toBe(named('two'))
  })

  it('stays under any other keys for the same bytes', () => {
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

  it('stays wherever the file was', () => {
    const at = (path: string): readonly RequestTurn[] =>
      JSON.parse(
        `[{"role":"user","text":"hi","audio":{"kind":"recorded","upload_key":"a","path":"${path}"}}]`,
      )
    const audio = new Map([['a', bytes(1)]])
    expect(hashOf(at('/home/alice/a.wav'), audio)).toBe(hashOf(at('C:/bob/b.wav'), audio))
    expect(hashOf(at('/home/alice/a.wav'), audio)).toBe(hashOf([said('a')], audio))
  })

  it('stays when fields come in another order, as a database may give them back', () => {
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
          expect(hashOf([said('a')], new Map([['a', edited]]))).not.toBe(
            hashOf([said('a')], new Map([['a', audio]])),
          )
        },
      ),
    )
  })

  it('is another for other turns, and the same for the same', () => {
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

  it('does not normalize: letters of one look may be two texts', () => {
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

  it('takes booleans, and digits inside texts', () => {
    const stored: readonly StoredTurn[] = JSON.parse(
      '[{"role":"user","text":"1.0 true 1e5","isFirst":true,"isLast":false}]',
    )
    expect(hashTurns(stored)).toBe(
      sha256(Buffer.from('[{"isFirst":true,"isLast":false,"role":"user","text":"1.0 true 1e5"}]')),
    )
  })

  it('refuses half a surrogate pair, which no UTF-8 can hold', () => {
    expect(() => hashTurns([{ role: 'user', text: 'a\ud83d' }])).toThrow(
      expect.objectContaining({ code: 'lone-surrogate', path: [0, 'text'] }),
    )
  })

  it('takes frozen turns and leaves others as they are', () => {
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

function refusalOf(
  ...args: Parameters<typeof materializeTurns>
): Pick<RecordedAudioUploadKeyError, 'reason' | 'uploadKeys'> | undefined {
  try {
    materializeTurns(...args)
  } catch (error) {
    if (error instanceof RecordedAudioUploadKeyError)
      return { reason: error.reason, uploadKeys: error.uploadKeys }
    throw error
  }
  return undefined
}

function keysIn(request: readonly RequestTurn[]): readonly string[] {
  return request.flatMap((each) =>
    each.role === 'user' && each.audio?.kind === 'recorded' ? [each.audio.upload_key] : [],
  )
}

function withKey(each: RequestTurn, rename: (key: string) => string): RequestTurn {
  if (each.role === 'agent' || each.audio?.kind !== 'recorded') return each
  return { ...each, audio: { kind: 'recorded', upload_key: rename(each.audio.upload_key) } }
}
