import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { DEFAULT_LIMITS } from '../../src/identity/limits.ts'
import {
  type ConversationIssue,
  type Parsed,
  parseConversationSpec,
  parseStoredTurns,
} from '../../src/identity/spec.ts'
import { hashTurns } from '../../src/identity/turns.ts'
import { turns } from './vectors.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)
const specOf = (turn: unknown): string => JSON.stringify({ name: 'a', turns: [turn] })
const withAudio = (audio: unknown): string => specOf({ role: 'user', text: 'hi', audio })
const recorded = (uploadKey: unknown) => withAudio({ kind: 'recorded', upload_key: uploadKey })
const sha256 = '0123456789abcdef'.repeat(4)

/** What is wrong with any turns, sent in or stored, and where in the turn. */
const WRONG_TURNS: readonly [
  name: string,
  turn: unknown,
  issues: readonly Pick<ConversationIssue, 'code' | 'path'>[],
][] = [
  ...[null, 5, 'user', true, [], [{ role: 'agent' }]].map((turn): (typeof WRONG_TURNS)[number] => [
    JSON.stringify(turn),
    turn,
    [{ code: 'invalid-value', path: [] }],
  ]),
  ['no role', {}, [{ code: 'invalid-value', path: ['role'] }]],
  ['an unknown role', { role: 'system' }, [{ code: 'invalid-value', path: ['role'] }]],
  ['a role in capitals', { role: 'User', text: '' }, [{ code: 'invalid-value', path: ['role'] }]],
  ['a role that is a list', { role: ['user'], text: '' }, [{ code: 'invalid-value', path: ['role'] }]],
  [
    'a role of the prototype',
    JSON.parse('{"__proto__":{"role":"agent"}}'),
    [{ code: 'invalid-value', path: ['role'] }],
  ],
  ['an agent with a text', { role: 'agent', text: 'hello' }, [{ code: 'unknown-field', path: ['text'] }]],
  ['an agent with audio', { role: 'agent', audio: null }, [{ code: 'unknown-field', path: ['audio'] }]],
  ['no text', { role: 'user' }, [{ code: 'invalid-value', path: ['text'] }]],
  ['text that is null', { role: 'user', text: null }, [{ code: 'invalid-value', path: ['text'] }]],
  ['text that is a number', { role: 'user', text: 5 }, [{ code: 'invalid-value', path: ['text'] }]],
  ['an unknown field', { role: 'user', text: '', name: 'x' }, [{ code: 'unknown-field', path: ['name'] }]],
  [
    'a field that is called __proto__',
    JSON.parse('{"role":"user","text":"","__proto__":{}}'),
    [{ code: 'unknown-field', path: ['__proto__'] }],
  ],
  [
    'audio that is null',
    { role: 'user', text: '', audio: null },
    [{ code: 'invalid-value', path: ['audio'] }],
  ],
  [
    'audio that is a text',
    { role: 'user', text: '', audio: 'a.wav' },
    [{ code: 'invalid-value', path: ['audio'] }],
  ],
  [
    'audio that is a list',
    { role: 'user', text: '', audio: [] },
    [{ code: 'invalid-value', path: ['audio'] }],
  ],
  [
    'audio of no kind',
    { role: 'user', text: '', audio: {} },
    [{ code: 'invalid-value', path: ['audio', 'kind'] }],
  ],
  [
    'audio of an unknown kind',
    { role: 'user', text: '', audio: { kind: 'live' } },
    [{ code: 'invalid-value', path: ['audio', 'kind'] }],
  ],
  [
    'a voice that is a number',
    { role: 'user', text: '', audio: { kind: 'tts', voice_id: 5 } },
    [{ code: 'invalid-value', path: ['audio', 'voice_id'] }],
  ],
  [
    'an unknown field of speech',
    { role: 'user', text: '', audio: { kind: 'tts', speed: 1 } },
    [{ code: 'unknown-field', path: ['audio', 'speed'] }],
  ],
  [
    'several things at once',
    { role: 'user', name: 'x', audio: { kind: 'tts', speed: 1, voice_id: {} } },
    [
      { code: 'unknown-field', path: ['name'] },
      { code: 'invalid-value', path: ['text'] },
      { code: 'unknown-field', path: ['audio', 'speed'] },
      { code: 'invalid-value', path: ['audio', 'voice_id'] },
    ],
  ],
]

describe('parseConversationSpec', () => {
  it('gives the name and the turns', () => {
    const spec = {
      name: 'Book a table',
      turns: [
        { role: 'user', text: 'hi', audio: { kind: 'recorded', upload_key: 'a' } },
        { role: 'agent' },
        { role: 'user', text: '', audio: { kind: 'tts', voice_id: 'nova' } },
        { role: 'user', text: 'true 1 null', audio: { kind: 'tts' } },
      ],
    }
    expect(parseConversationSpec(JSON.stringify(spec))).toEqual({ ok: true, value: spec })
  })

  it.each(turns)('takes the golden request: $name', ({ name, request }) => {
    expect(parseConversationSpec(JSON.stringify({ name, turns: request }))).toEqual({
      ok: true,
      value: { name, turns: request },
    })
  })

  it('reads bytes like text', () => {
    const text = specOf({ role: 'user', text: 'Grüße 你好 😀' })
    expect(parseConversationSpec(bytesOf(text))).toEqual(parseConversationSpec(text))
    expect(parseConversationSpec(Buffer.from(text))).toEqual(parseConversationSpec(text))
  })

  it.each([
    '',
    ' ',
    '{',
    '{"name":"a","turns":[]',
    "{'name':''}",
    'undefined',
    '{"name":"a","turns":[],}',
    'NaN',
  ])('says that %j is no JSON', (text) => {
    const issues = [{ code: 'not-json', path: [], expected: 'JSON' }]
    expect(parseConversationSpec(text)).toEqual({ ok: false, issues })
    expect(parseConversationSpec(bytesOf(text))).toEqual({ ok: false, issues })
  })

  it.each(['null', '5', '"a"', 'true', '[]', '[{"name":"a","turns":[]}]'])(
    'says that %s is no object',
    (text) => {
      expect(placesOf(parseConversationSpec(text))).toEqual([{ code: 'invalid-value', path: [] }])
    },
  )

  it.each<[text: string, issues: ReturnType<typeof placesOf>]>([
    [
      '{}',
      [
        { code: 'invalid-value', path: ['name'] },
        { code: 'invalid-value', path: ['turns'] },
      ],
    ],
    ['{"name":5,"turns":[]}', [{ code: 'invalid-value', path: ['name'] }]],
    ['{"name":null,"turns":[]}', [{ code: 'invalid-value', path: ['name'] }]],
    ['{"name":"a"}', [{ code: 'invalid-value', path: ['turns'] }]],
    ['{"name":"a","turns":null}', [{ code: 'invalid-value', path: ['turns'] }]],
    ['{"name":"a","turns":{}}', [{ code: 'invalid-value', path: ['turns'] }]],
    ['{"name":"a","turns":{"0":{"role":"agent"},"length":1}}', [{ code: 'invalid-value', path: ['turns'] }]],
    ['{"name":"a","turns":[],"id":"x"}', [{ code: 'unknown-field', path: ['id'] }]],
    ['{"name":"a","turns":[],"__proto__":{}}', [{ code: 'unknown-field', path: ['__proto__'] }]],
    ['{"name":"a","turns":[],"constructor":1}', [{ code: 'unknown-field', path: ['constructor'] }]],
  ])('says what is wrong with %s', (text, issues) => {
    expect(placesOf(parseConversationSpec(text))).toEqual(issues)
  })

  it.each(WRONG_TURNS)('says where a turn is wrong: %s', (_, turn, issues) => {
    const spec = JSON.stringify({ name: 'a', turns: [{ role: 'agent' }, turn] })
    expect(placesOf(parseConversationSpec(spec))).toEqual(
      issues.map(({ code, path }) => ({ code, path: ['turns', 1, ...path] })),
    )
  })

  it('says everything that is wrong, in order', () => {
    const spec = { name: 5, turns: [{ role: 'x' }, { role: 'agent' }, { role: 'user' }], more: 1 }
    expect(placesOf(parseConversationSpec(JSON.stringify(spec)))).toEqual([
      { code: 'unknown-field', path: ['more'] },
      { code: 'invalid-value', path: ['name'] },
      { code: 'invalid-value', path: ['turns', 0, 'role'] },
      { code: 'invalid-value', path: ['turns', 2, 'text'] },
    ])
  })

  it('says what belongs there', () => {
    const parsed = parseConversationSpec('{"turns":[{"role":"user","text":"a","txt":"b"}]}')
    expect(parsed).toEqual({
      ok: false,
      issues: [
        { code: 'invalid-value', path: ['name'], expected: 'a string' },
        { code: 'unknown-field', path: ['turns', 0, 'txt'], expected: 'one of role, text, audio' },
      ],
    })
  })

  describe('an upload key', () => {
    it.each([
      'a',
      'A-Z_a.z-0',
      '0',
      '-',
      '_',
      '.',
      '..',
      'constructor',
      '__proto__',
      'a.wav',
      'x'.repeat(300),
    ])('may be %s', (key) => {
      expect(parseConversationSpec(recorded(key)).ok).toBe(true)
    })

    it.each([
      '',
      ' ',
      'a b',
      'a/b',
      '../a',
      'a\\b',
      'a\n',
      '\na',
      'a\u0000',
      'é',
      '😀',
      'ａ',
      'a:b',
      'a+b',
      'a|b',
      null,
      5,
      ['a'],
    ])('may not be %j', (key) => {
      expect(placesOf(parseConversationSpec(recorded(key)))).toEqual([
        { code: 'invalid-value', path: ['turns', 0, 'audio', 'upload_key'] },
      ])
    })

    it('has to be there', () => {
      expect(placesOf(parseConversationSpec(withAudio({ kind: 'recorded' })))).toEqual([
        { code: 'invalid-value', path: ['turns', 0, 'audio', 'upload_key'] },
      ])
    })

    it('may come with the path of the file', () => {
      const audio = { kind: 'recorded', upload_key: 'a', path: '/home/alice/a.wav' }
      expect(parseConversationSpec(withAudio(audio)).ok).toBe(true)
    })

    it('may not come with a hash: the bytes have to be sent', () => {
      const audio = { kind: 'recorded', upload_key: 'a', sha256 }
      expect(placesOf(parseConversationSpec(withAudio(audio)))).toEqual([
        { code: 'unknown-field', path: ['turns', 0, 'audio', 'sha256'] },
      ])
    })
  })

  describe('the size', () => {
    const exactly = (bytes: number, filler: string) => {
      const frame = specOf({ role: 'user', text: '' })
      const room = bytes - bytesOf(frame).length
      const count = Math.floor(room / bytesOf(filler).length)
      const rest = room - count * bytesOf(filler).length
      return specOf({ role: 'user', text: filler.repeat(count) + 'a'.repeat(rest) })
    }

    it('may be 256 KB and not a byte more', () => {
      const limit = 256 * 1024
      expect(parseConversationSpec(exactly(limit, 'a')).ok).toBe(true)
      expect(parseConversationSpec(exactly(limit + 1, 'a'))).toEqual({
        ok: false,
        issues: [{ code: 'too-large', path: [], expected: 'at most 262144 bytes' }],
      })
    })

    it.each(['é', '你', '😀'])('is counted in UTF-8 bytes, not in UTF-16 units: %s', (filler) => {
      const limit = DEFAULT_LIMITS.specBytes
      const fits = exactly(limit, filler)
      const tooLarge = exactly(limit + 1, filler)
      expect(tooLarge.length).toBeLessThan(limit)
      for (const form of [(text: string) => text, bytesOf]) {
        expect(parseConversationSpec(form(fits)).ok).toBe(true)
        expect(placesOf(parseConversationSpec(form(tooLarge)))).toEqual([{ code: 'too-large', path: [] }])
      }
    })

    it('may be set', () => {
      const text = specOf({ role: 'agent' })
      expect(parseConversationSpec(text, { specBytes: text.length }).ok).toBe(true)
      expect(parseConversationSpec(text, { specBytes: text.length - 1 })).toEqual({
        ok: false,
        issues: [{ code: 'too-large', path: [], expected: `at most ${text.length - 1} bytes` }],
      })
      const large = exactly(DEFAULT_LIMITS.specBytes + 1, 'a')
      expect(parseConversationSpec(large, { ...DEFAULT_LIMITS, specBytes: 1e9 }).ok).toBe(true)
    })

    it.each([Number.NaN, -1])('refuses a limit that is no number, or a negative one: %d', (specBytes) => {
      expect(() => parseConversationSpec('{}', { specBytes })).toThrow(RangeError)
    })

    it('is that of the bytes, whatever they come in', () => {
      const buffer = bytesOf(exactly(DEFAULT_LIMITS.specBytes + 1, 'a')).buffer as unknown as Uint8Array
      expect(placesOf(parseConversationSpec(buffer))).toEqual([{ code: 'too-large', path: [] }])
    })

    it('is known without encoding where a text has more units than may be bytes', () => {
      const encode = vi.spyOn(TextEncoder.prototype, 'encode')
      try {
        expect(placesOf(parseConversationSpec('a'.repeat(11), { specBytes: 10 }))).toEqual([
          { code: 'too-large', path: [] },
        ])
        expect(encode).not.toHaveBeenCalled()
      } finally {
        encode.mockRestore()
      }
    })

    it('is looked at before the content is', () => {
      expect(placesOf(parseConversationSpec('{{{{', { specBytes: 3 }))).toEqual([
        { code: 'too-large', path: [] },
      ])
    })
  })

  it('does not overflow on what is nested deeply', () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000)
    expect(placesOf(parseConversationSpec(`{"name":${deep},"turns":[]}`))).toEqual([
      { code: 'invalid-value', path: ['name'] },
    ])
    expect(placesOf(parseConversationSpec(`{"name":"a","turns":${deep}}`))).toEqual([
      { code: 'invalid-value', path: ['turns', 0] },
    ])
  })

  it('gives a value or issues for every text, and never throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string(), fc.uint8Array()), (input) => {
        const parsed = parseConversationSpec(input)
        if (!parsed.ok) expect(parsed.issues.length).toBeGreaterThan(0)
      }),
    )
  })
})

describe('parseStoredTurns', () => {
  it.each(turns)('gives back what was stored, with the same hash: $name', ({ stored, text, hash }) => {
    for (const json of [text, JSON.stringify(stored), bytesOf(text)]) {
      const parsed = parseStoredTurns(json)
      expect(parsed).toEqual({ ok: true, value: stored })
      expect(parsed.ok && hashTurns(parsed.value)).toBe(hash)
    }
  })

  it.each(['', '{', 'nul', '[{"role":"agent"}', '[,]'])(
    'says that %j is no JSON, and is no empty list',
    (text) => {
      expect(parseStoredTurns(text)).toEqual({
        ok: false,
        issues: [{ code: 'not-json', path: [], expected: 'JSON' }],
      })
    },
  )

  it.each(['null', '{}', '5', '""', '{"turns":[]}'])('says that %s is no list', (text) => {
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

  it.each(['upload_key', 'path'])('refuses %s: it would make the hash depend on a machine', (field) => {
    const audio = { kind: 'recorded', sha256, [field]: 'a' }
    expect(placesOf(parseStoredTurns(storedAudio(audio)))).toEqual([
      { code: 'unknown-field', path: [0, 'audio', field] },
    ])
  })

  it('takes no request for stored turns', () => {
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

function placesOf(parsed: Parsed<unknown>): readonly Pick<ConversationIssue, 'code' | 'path'>[] {
  return parsed.ok ? [] : parsed.issues.map(({ code, path }) => ({ code, path }))
}
