import { describe, expect, it } from 'vitest'
import { canonicalize, MAX_CANONICAL_DEPTH } from '../../../../src/core/identity/canonical.ts'
import { errorOf, refusalOf } from './refusals.ts'

describe('objects within objects', () => {
  it('may appear twice, if they do not contain themselves', () => {
    const shared = { a: [1] }
    expect(canonicalize([shared, shared, { b: shared, c: shared.a }])).toBe(
      '[{"a":[1]},{"a":[1]},{"b":{"a":[1]},"c":[1]}]',
    )
  })

  it('may appear again in an object that they do not contain', () => {
    const inner = {}
    expect(canonicalize({ a: inner, b: { c: inner, d: [inner, inner] } })).toBe(
      '{"a":{},"b":{"c":{},"d":[{},{}]}}',
    )
  })

  it('are refused if they contain themselves, at the place of the repetition', () => {
    const object: Record<string, unknown> = { a: 1 }
    object.b = [object]
    expect(refusalOf(object)).toEqual({ code: 'cycle', path: ['b', 0] })
    expect(errorOf(object)?.message).toBe('an object that contains itself at ["b",0]')
    const list: unknown[] = [0]
    list.push(list)
    expect(refusalOf(list)).toEqual({ code: 'cycle', path: [1] })
    expect(refusalOf([{ a: list }])).toEqual({ code: 'cycle', path: [0, 'a', 1] })
  })

  it.each<[name: string, wrap: (value: unknown) => unknown, key: string | number]>([
    ['lists', (value) => [value], 0],
    ['objects', (value) => ({ a: value }), 'a'],
  ])('may be nested 256 levels deep and no deeper: %s', (_, wrap, key) => {
    const nested = (levels: number) => {
      let value: unknown = null
      for (let level = 0; level < levels; level += 1) value = wrap(value)
      return value
    }
    const deepest = nested(MAX_CANONICAL_DEPTH)
    expect(MAX_CANONICAL_DEPTH).toBe(256)
    expect(JSON.parse(canonicalize(deepest))).toEqual(deepest)
    expect(refusalOf(nested(MAX_CANONICAL_DEPTH + 1))).toEqual({
      code: 'too-deep',
      path: Array.from({ length: 256 }, () => key),
    })
    expect(refusalOf(nested(100_000))?.code).toBe('too-deep')
    expect(errorOf(nested(257))?.message).toMatch(/^a value nested deeper than 256 levels at \[/)
  })

  it('may be 5,000,000 values and no more; a repeated object counts again', () => {
    const row = Array.from({ length: 999 }, () => null)
    const most = [...Array.from({ length: 4999 }, () => row), ...row]
    expect(1 + 4999 * (1 + row.length) + row.length).toBe(5_000_000)
    expect(canonicalize(most)).toHaveLength(JSON.stringify(most).length)
    expect(errorOf([...most, null])).toMatchObject({
      code: 'too-large',
      path: [most.length],
      message: 'more than 5,000,000 values at [5998]',
    })
  })

  it('may be many next to each other', () => {
    const value = Array.from({ length: 100_000 }, (_, at) => ({ b: at, a: [] }))
    expect(canonicalize(value)).toHaveLength(JSON.stringify(value).length)
  })
})
