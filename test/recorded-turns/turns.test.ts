import { describe, expect, it } from 'vitest'
import type { RequestTurn } from '../../src/recorded-turns/turn.ts'
import { materializeTurns, RecordedAudioUploadKeyError } from '../../src/recorded-turns/turns.ts'
import { agent, bytes, sha256, userTurn } from './request-turns.ts'

describe('materializeTurns', () => {
  it('puts the hash of the bytes in the place of the key', () => {
    const audio = bytes(1, 2, 3)
    expect(materializeTurns([userTurn('a'), agent], new Map([['a', audio]]))).toEqual({
      turns: [{ role: 'user', text: 'hi', audio: { kind: 'recorded', sha256: sha256(audio) } }, agent],
      audio: [{ sha256: sha256(audio), bytes: audio }],
    })
  })

  it.each<[string, unknown, readonly (string | number)[]]>([
    ['a role', { role: 'system', text: 'hi' }, ['turns', 1, 'role']],
    ['a text', { role: 'user', text: 7 }, ['turns', 1, 'text']],
    ['a kind of audio', { role: 'user', text: 'hi', audio: { kind: 'mp3' } }, ['turns', 1, 'audio', 'kind']],
    [
      'the key of the spec',
      { role: 'user', text: 'hi', audio: { kind: 'recorded', upload_key: 'spec' } },
      ['turns', 1, 'audio', 'upload_key'],
    ],
  ])('refuses %s that a request cannot have, with a code and a path', (_, turn, path) => {
    expect(() => materializeTurns([agent, turn as RequestTurn], new Map())).toThrow(
      expect.objectContaining({ name: 'IdentityError', code: 'not-a-turn', path }),
    )
  })

  it('lists each distinct audio once, in the order of its first turn', () => {
    const [one, two, three] = [bytes(1), bytes(2), bytes(3)]
    const audio = new Map([
      ['third', three],
      ['second', two],
      ['first', one],
    ])
    const request = [
      userTurn('first'),
      userTurn('second'),
      userTurn('first'),
      agent,
      userTurn('third'),
      userTurn('second'),
    ]
    expect(materializeTurns(request, audio).audio.map(({ sha256: hash }) => hash)).toEqual(
      [one, two, three].map(sha256),
    )
  })

  it('treats two keys with the same bytes as one audio', () => {
    const audio = new Map([
      ['a', bytes(1, 2)],
      ['b', bytes(1, 2)],
    ])
    const { turns: stored, audio: distinct } = materializeTurns([userTurn('b'), userTurn('a')], audio)
    expect(distinct).toEqual([{ sha256: sha256(bytes(1, 2)), bytes: bytes(1, 2) }])
    expect(stored[0]).toEqual(stored[1])
  })

  it('gives the bytes themselves, not a copy', () => {
    const audio = bytes(1)
    expect(materializeTurns([userTurn('a')], new Map([['a', audio]])).audio[0]?.bytes).toBe(audio)
  })

  it('lists nothing if nothing was recorded', () => {
    const request: readonly RequestTurn[] = [agent, { role: 'user', text: '', audio: { kind: 'tts' } }]
    expect(materializeTurns(request, new Map())).toEqual({ turns: request, audio: [] })
    expect(materializeTurns([], new Map())).toEqual({ turns: [], audio: [] })
  })

  it.each(['__proto__', 'constructor', 'toString', '.', '..'])('accepts the key %s', (key) => {
    const { turns: stored } = materializeTurns([userTurn(key)], new Map([[key, bytes(7)]]))
    expect(stored).toEqual([
      { role: 'user', text: 'hi', audio: { kind: 'recorded', sha256: sha256(bytes(7)) } },
    ])
    expect(refusalOf([userTurn(key)], new Map())).toEqual({ reason: 'missing', uploadKeys: [key] })
  })

  it('changes neither the turns nor the audio', () => {
    const request = Object.freeze([Object.freeze(userTurn('a')), agent])
    const audio = new Map([['a', bytes(1, 2, 3)]])
    materializeTurns(request, audio)
    expect(request).toEqual([userTurn('a'), agent])
    expect([...audio]).toEqual([['a', bytes(1, 2, 3)]])
  })

  it('removes unknown fields: a path, a comment', () => {
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

  describe('with keys that do not match', () => {
    it('names each key without audio once', () => {
      const request = [userTurn('b'), userTurn('a'), userTurn('b'), userTurn('here')]
      expect(refusalOf(request, new Map([['here', bytes(1)]]))).toEqual({
        reason: 'missing',
        uploadKeys: ['b', 'a'],
      })
    })

    it('names the audio without a turn', () => {
      const audio = new Map(['x', 'a', 'y'].map((key) => [key, bytes(1)]))
      expect(refusalOf([userTurn('a')], audio)).toEqual({ reason: 'unreferenced', uploadKeys: ['x', 'y'] })
      expect(refusalOf([], new Map([['a', bytes(1)]]))).toEqual({ reason: 'unreferenced', uploadKeys: ['a'] })
    })

    it('names missing audio first if both are wrong', () => {
      expect(refusalOf([userTurn('a')], new Map([['b', bytes(1)]]))).toEqual({
        reason: 'missing',
        uploadKeys: ['a'],
      })
    })

    it('compares keys exactly', () => {
      expect(refusalOf([userTurn('a')], new Map([['A', bytes(1)]]))?.reason).toBe('missing')
    })

    it('ignores a key of text-to-speech audio', () => {
      const request: readonly RequestTurn[] = JSON.parse(
        '[{"role":"user","text":"a","audio":{"kind":"tts","upload_key":"a"}}]',
      )
      expect(refusalOf(request, new Map([['a', bytes(1)]]))?.reason).toBe('unreferenced')
    })

    it('has a message for people', () => {
      expect(() => materializeTurns([userTurn('a')], new Map())).toThrow('no audio was uploaded for a')
      expect(() => materializeTurns([], new Map([['a', bytes(1)]]))).toThrow('no turn names a')
      expect(() => materializeTurns([userTurn('a')], new Map())).toThrow(
        expect.objectContaining({ name: 'RecordedAudioUploadKeyError' }),
      )
    })
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
