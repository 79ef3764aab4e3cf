import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checksumOf } from '../../../src/core/json/checksum.ts'
import { copyJson } from '../../../src/core/json/depth.ts'
import { isEqual } from '../../../src/core/json/equal.ts'
import { shared } from '../../hostile/values.ts'
import { stored } from '../../wires/saved.ts'

const json = fc.jsonValue({ maxDepth: 4 }).map((value) => copyJson(value))

const reversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).map(([name, part]) => [name, reversed(part)] as const)
  return Object.fromEntries(fields.toReversed())
}

describe('a checksum', () => {
  it('has 16 hex digits, also for a leaf', () => {
    for (const value of [null, 0, '', 'a', [], {}, [{}]]) expect(checksumOf(value)).toMatch(/^[0-9a-f]{16}$/)
  })

  it('is the same for the same JSON, in any order of the keys', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(checksumOf(copyJson(reversed(stored(value))))).toBe(checksumOf(value))
      }),
    )
  })

  it('is another one for other JSON', () => {
    fc.assert(
      fc.property(json, json, (left, right) => {
        expect(checksumOf(left) === checksumOf(right)).toBe(isEqual(left, right))
      }),
    )
  })

  it.each([
    [
      [1, 2],
      [2, 1],
    ],
    [[[1], 2], [[1, 2]]],
    [{ a: 1 }, { a: '1' }],
    [{ a: { b: 1 } }, { a: 1, b: 1 }],
    [
      { a: 'x', b: 'y' },
      { a: 'y', b: 'x' },
    ],
    ['ab', 'ba'],
    [['a,b'], ['a', 'b']],
    [{}, []],
    [null, 'null'],
  ])('tells %j from %j', (left, right) => {
    expect(checksumOf(left)).not.toBe(checksumOf(right))
  })

  it('reads an object with many places once', () => {
    const value = copyJson({ deep: shared(60) })
    expect(checksumOf(value)).toBe(checksumOf(copyJson({ deep: shared(60) })))
    const [tree] = [copyJson(shared(8))].map((each) => copyJson(stored(each)))
    expect(checksumOf(tree ?? null)).toBe(checksumOf(copyJson(shared(8))))
  })
})
