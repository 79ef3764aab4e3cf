import { describe, expect, it } from 'vitest'
import { isNoJson, isTooDeep } from '../../../src/core/json/depth.ts'

/** Nests a value in so many objects or lists. */
function nested(depth: number, innermost: unknown, wrap: (value: unknown) => unknown): unknown {
  let value = innermost
  for (let at = 0; at < depth; at += 1) value = wrap(value)
  return value
}

const inObject = (value: unknown) => ({ value })
const inList = (value: unknown) => [value]

/** A value of many objects is searched in another way than a small one. */
const withMany = (value: unknown) => ({ many: Array.from({ length: 2_000 }, (_, id) => ({ id })), value })
/** One object at so many places that a search of each place would not end. */
const shared = nested(100, { end: true }, (value) => [value, value])

describe.each([
  ['small', (value: unknown) => ({ value })],
  ['large', withMany],
])('a %s value', (_, around) => {
  it.each([inObject, inList])('is too deep from 256 levels on', (wrap) => {
    expect(isTooDeep(around(nested(254, 'text', wrap)))).toBe(false)
    expect(isTooDeep(around(nested(300, 'text', wrap)))).toBe(true)
  })

  it.each([Number.NaN, () => 0, Symbol('s'), 1n])('is no JSON with %s, at any place', (flaw) => {
    for (const wrap of [inObject, inList]) expect(isNoJson(around(nested(3, flaw, wrap)))).toBe(true)
    expect(isNoJson(around(nested(3, [1, 'text', null, true], inObject)))).toBe(false)
  })

  it('may have an object at many places', () => {
    expect(isTooDeep(around(shared))).toBe(false)
    expect(isNoJson(around(shared))).toBe(false)
    expect(isTooDeep(around(nested(200, shared, inObject)))).toBe(true)
  })
})

it('a list that is almost empty has the length of its items', () => {
  const list: unknown[] = []
  list[1e9] = Number.NaN
  expect(isNoJson(list)).toBe(true)
})
