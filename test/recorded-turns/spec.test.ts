import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseConversationSpec, parseStoredTurns } from '../../src/recorded-turns/spec.ts'
import { turns } from '../core/identity/vectors.ts'
import { bytesOf, placesOf, specOf, WRONG_TURNS } from './spec-inputs.ts'

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

  it('reads bytes of another realm, such as another frame of a page', () => {
    const bytes: unknown = runInNewContext(`new Uint8Array([${bytesOf('{"name":"a","turns":[]}').join()}])`)
    for (const part of [bytes, Reflect.get(Object(bytes), 'buffer')])
      expect(parseConversationSpec(part)).toEqual({ ok: true, value: { name: 'a', turns: [] } })
  })

  it('takes no object for bytes that only has their name', () => {
    const named = { [Symbol.toStringTag]: 'ArrayBuffer' }
    expect(placesOf(parseConversationSpec(named))).toEqual([{ code: 'not-json', path: [] }])
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
  ])('reports that %j is not JSON', (text) => {
    const issues = [{ code: 'not-json', path: [], expected: 'JSON' }]
    expect(parseConversationSpec(text)).toEqual({ ok: false, issues })
    expect(parseConversationSpec(bytesOf(text))).toEqual({ ok: false, issues })
  })

  it.each(['null', '5', '"a"', 'true', '[]', '[{"name":"a","turns":[]}]'])(
    'reports that %s is not an object',
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
  ])('reports the issues of %s', (text, issues) => {
    expect(placesOf(parseConversationSpec(text))).toEqual(issues)
  })

  it.each(WRONG_TURNS)('says where a turn is wrong: %s', (_, turn, issues) => {
    const spec = JSON.stringify({ name: 'a', turns: [{ role: 'agent' }, turn] })
    expect(placesOf(parseConversationSpec(spec))).toEqual(
      issues.map(({ code, path }) => ({ code, path: ['turns', 1, ...path] })),
    )
  })

  it('reports all issues, in order', () => {
    const spec = { name: 5, turns: [{ role: 'x' }, { role: 'agent' }, { role: 'user' }], more: 1 }
    expect(placesOf(parseConversationSpec(JSON.stringify(spec)))).toEqual([
      { code: 'unknown-field', path: ['more'] },
      { code: 'invalid-value', path: ['name'] },
      { code: 'invalid-value', path: ['turns', 0, 'role'] },
      { code: 'invalid-value', path: ['turns', 2, 'text'] },
    ])
  })

  // A spec of 256 KB had 130,000 issues, and a server's answer was thirty times as long.
  it('reports the first 100 issues', () => {
    const zeros = `[${'0,'.repeat(130_000)}0]`
    const fields = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`f${at}`, 0]))
    const first = { code: 'invalid-value', path: ['turns', 0], expected: 'an object' }
    const many = [
      parseConversationSpec(`{"name":"n","turns":${zeros}}`, { specBytes: 1e6 }),
      parseConversationSpec(JSON.stringify({ name: 'n', turns: [], ...fields }), { specBytes: 1e6 }),
      parseStoredTurns(zeros),
    ].map((parsed) => (parsed.ok ? [] : parsed.issues))
    expect(many.map(({ length }) => length)).toEqual([100, 100, 100])
    expect(many[0]?.[0]).toEqual(first)
  })

  it('describes the expected value', () => {
    const parsed = parseConversationSpec('{"turns":[{"role":"user","text":"a","txt":"b"}]}')
    expect(parsed).toEqual({
      ok: false,
      issues: [
        { code: 'invalid-value', path: ['name'], expected: 'a string' },
        { code: 'unknown-field', path: ['turns', 0, 'txt'], expected: 'one of role, text, audio' },
      ],
    })
  })

  it('does not overflow on deeply nested values', () => {
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
