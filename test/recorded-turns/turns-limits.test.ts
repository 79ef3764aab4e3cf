import { describe, expect, it } from 'vitest'
import { ConversationLimitError, DEFAULT_LIMITS } from '../../src/recorded-turns/spec.ts'
import { materializeTurns } from '../../src/recorded-turns/turns.ts'
import { bytes, userTurn } from './request-turns.ts'

describe('materializeTurns', () => {
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

    it('accepts an audio of exactly the limit’s size', () => {
      const limits = { ...DEFAULT_LIMITS, audioBytes: 3 }
      expect(limitOf([userTurn('a')], new Map([['a', bytes(1, 2, 3)]]), limits)).toBeUndefined()
      expect(limitOf([userTurn('a')], new Map([['a', bytes(1, 2, 3, 4)]]), limits)).toEqual({
        limit: 'audioBytes',
        actual: 4,
        allowed: 3,
        uploadKey: 'a',
      })
    })

    it('is 50 MB for one audio by default', () => {
      const tooLarge = new Map([['a', new Uint8Array(50 * 1024 * 1024 + 1)]])
      expect(limitOf([userTurn('a')], tooLarge)).toMatchObject({ limit: 'audioBytes', allowed: 52_428_800 })
    })

    it('accepts audio of exactly the body’s size in total', () => {
      const audio = new Map([
        ['a', bytes(1, 2)],
        ['b', bytes(3, 4)],
      ])
      const request = [userTurn('a'), userTurn('b')]
      expect(limitOf(request, audio, { ...DEFAULT_LIMITS, bodyBytes: 4 })).toBeUndefined()
      expect(limitOf(request, audio, { ...DEFAULT_LIMITS, bodyBytes: 3 })).toEqual({
        limit: 'bodyBytes',
        actual: 4,
        allowed: 3,
        uploadKey: undefined,
      })
    })

    it('counts the same bytes under two keys twice', () => {
      const audio = new Map([
        ['a', bytes(1, 2)],
        ['b', bytes(1, 2)],
      ])
      expect(
        limitOf([userTurn('a'), userTurn('b')], audio, { ...DEFAULT_LIMITS, bodyBytes: 3 }),
      ).toMatchObject({
        actual: 4,
      })
    })

    it('uses the default limit for an undefined one', () => {
      const tooLarge = new Map([['a', new Uint8Array(50 * 1024 * 1024 + 1)]])
      const unset = JSON.parse('{}') as { readonly audioBytes: number }
      expect(limitOf([userTurn('a')], tooLarge, { audioBytes: unset.audioBytes })).toMatchObject({
        limit: 'audioBytes',
        allowed: 52_428_800,
      })
    })

    it.each(['audioBytes', 'bodyBytes'] as const)(
      'refuses a limit that is negative or not a number: %s',
      (name) => {
        for (const limit of [Number.NaN, -1])
          expect(() => materializeTurns([], new Map(), { [name]: limit })).toThrow(`${name}: pass bytes`)
        expect(() => materializeTurns([], new Map(), { [name]: Number.NaN })).toThrow(RangeError)
      },
    )

    it('refuses a text as audio, because its length is not in bytes', () => {
      const audio = new Map([['a', 'text' as unknown as Uint8Array]])
      expect(() => materializeTurns([userTurn('a')], audio)).toThrow(
        expect.objectContaining({ code: 'not-bytes', path: ['audioByKey', 'a'] }),
      )
    })

    it('is a RangeError with the allowed size', () => {
      const audio = new Map([['a', bytes(1, 2)]])
      const materialize = () => materializeTurns([userTurn('a')], audio, { ...DEFAULT_LIMITS, audioBytes: 1 })
      expect(materialize).toThrow(RangeError)
      expect(materialize).toThrow('audioBytes: 2 bytes are more than the allowed 1')
    })
  })
})
