import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sha256Hex } from '../../../src/core/json/sha256.ts'

describe('sha256Hex', () => {
  it('is SHA-256, of texts and of bytes', () => {
    expect(sha256Hex('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
    expect(sha256Hex('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300, size: 'max' }), (bytes) => {
        expect(sha256Hex(bytes)).toBe(createHash('sha256').update(bytes).digest('hex'))
      }),
    )
  })

  it('reads a view’s own part of its buffer', () => {
    const bytes = Uint8Array.of(1, 2, 3, 4)
    expect(sha256Hex(bytes.subarray(1, 3))).toBe(sha256Hex(Uint8Array.of(2, 3)))
    expect(sha256Hex(Buffer.from('abc'))).toBe(sha256Hex('abc'))
  })

  it('leaves the bytes alone', () => {
    const bytes = Uint8Array.of(1, 2, 3)
    sha256Hex(bytes)
    expect([...bytes]).toEqual([1, 2, 3])
  })
})
