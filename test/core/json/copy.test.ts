import fc from 'fast-check'
import { expect, it } from 'vitest'
import { copyJson, isTooDeep } from '../../../src/core/json/depth.ts'
import { runs } from '../../depth.ts'
import { shared } from '../../hostile/values.ts'

it('a copy is the value after a write to and a read from JSON', () => {
  const values = fc
    .anything({ withNullPrototype: true, withSparseArray: true })
    .filter((value) => !isTooDeep(value))
  fc.assert(
    fc.property(values, (value) => {
      const field = { value: value ?? null }
      expect(copyJson(field)).toEqual(JSON.parse(JSON.stringify(field, withoutFunctions)))
    }),
    { numRuns: runs(1000) },
  )
})

it('a copy shares no object with the value, and keeps `__proto__` an ordinary key', () => {
  const value = JSON.parse('{"__proto__":{"a":[1]}}')
  const copy = copyJson(value)
  Reflect.get(value, '__proto__').a.push(2)
  expect(JSON.stringify(copy)).toBe('{"__proto__":{"a":[1]}}')
})

it('an object with many places is copied once, and the holes of a list take no time', () => {
  expect(Object.keys(Object(copyJson(shared(200))))).toEqual(['left', 'right'])
  expect(copyJson(Object.assign([1], { length: 4e9 }))).toEqual([1])
})

/** JSON leaves out a field with a function or a symbol. A copy has null there, like a list. */
function withoutFunctions(_: string, value: unknown): unknown {
  return typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint' ? null : value
}
