import { describe, expect, it, vi } from 'vitest'
import { DEFAULT_LIMITS, parseConversationSpec } from '../../src/recorded-turns/spec.ts'
import { bytesOf, placesOf, specOf } from './spec-inputs.ts'

describe('parseConversationSpec', () => {
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

    it.each([Number.NaN, -1])('refuses a limit that is negative or not a number: %d', (specBytes) => {
      expect(() => parseConversationSpec('{}', { specBytes })).toThrow(RangeError)
    })

    it('counts the bytes of an ArrayBuffer too', () => {
      const buffer = bytesOf(exactly(DEFAULT_LIMITS.specBytes + 1, 'a')).buffer as unknown as Uint8Array
      expect(placesOf(parseConversationSpec(buffer))).toEqual([{ code: 'too-large', path: [] }])
    })

    it('is too large without encoding if a text has more units than allowed bytes', () => {
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

    it('is checked before the content', () => {
      expect(placesOf(parseConversationSpec('{{{{', { specBytes: 3 }))).toEqual([
        { code: 'too-large', path: [] },
      ])
    })
  })
})
