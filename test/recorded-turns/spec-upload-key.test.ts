import { describe, expect, it } from 'vitest'
import { parseConversationSpec } from '../../src/recorded-turns/spec.ts'
import { placesOf, recorded, sha256, withAudio } from './spec-inputs.ts'

describe('parseConversationSpec', () => {
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

    it('may not be the name of the form’s part for the conversation itself', () => {
      expect(parseConversationSpec(recorded('spec'))).toMatchObject({
        ok: false,
        issues: [{ code: 'invalid-value', expected: 'another name than spec' }],
      })
      expect(parseConversationSpec(recorded('Spec')).ok).toBe(true)
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

    it('is required', () => {
      expect(placesOf(parseConversationSpec(withAudio({ kind: 'recorded' })))).toEqual([
        { code: 'invalid-value', path: ['turns', 0, 'audio', 'upload_key'] },
      ])
    })

    it('may come with the path of the file', () => {
      const audio = { kind: 'recorded', upload_key: 'a', path: '/home/alice/a.wav' }
      expect(parseConversationSpec(withAudio(audio)).ok).toBe(true)
    })

    it('may not come with a hash, because the bytes must be sent', () => {
      const audio = { kind: 'recorded', upload_key: 'a', sha256 }
      expect(placesOf(parseConversationSpec(withAudio(audio)))).toEqual([
        { code: 'unknown-field', path: ['turns', 0, 'audio', 'sha256'] },
      ])
    })
  })
})
