import fc from 'fast-check'
import { expect } from 'vitest'

/** JSON nested to this depth: lists, objects, and both in turn. */
export const deepJson = (depth: number): readonly string[] => [
  `${'['.repeat(depth)}1${']'.repeat(depth)}`,
  `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`,
  `${'{"content":['.repeat(depth / 2)}1${']}'.repeat(depth / 2)}`,
]

const deepValues = deepJson(100_000).map((json): unknown => JSON.parse(json))

const cyclic: { self?: unknown } = {}
cyclic.self = cyclic

/** An object that contains itself twice, so that each level doubles the number of paths. */
export function doublyCyclic(): object {
  const value: { left?: unknown; right?: unknown } = {}
  return Object.assign(value, { left: value, right: value })
}

/** An object whose parts are all shared: few objects, and an exponential number of paths. */
export function shared(depth: number): unknown {
  return Array.from({ length: depth }).reduce<unknown>((inner) => ({ left: inner, right: inner }), 1)
}

/** The error of every throwing value. */
export const ASKED_FOR: Error = new Error('you asked for it')

const throwing = (): never => {
  throw ASKED_FOR
}

/** Proxies have tests of their own, because fast-check itself reads the fields of a value. */
const WITH_GETTER = {
  get type(): never {
    return throwing()
  },
}

/** A value that throws at every access. */
export function touchy(): object {
  return new Proxy({}, { get: throwing, has: throwing, ownKeys: throwing, getPrototypeOf: throwing })
}

/** A revoked proxy. */
export function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

/** Values that are no JSON, and JSON that is hard to handle. */
export const odd: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom<unknown>(
    undefined,
    null,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    -0,
    -1,
    2 ** 53 + 1,
    1e308,
    12n,
    Symbol('odd'),
    () => 1,
    new Date(0),
    new Map([['a', 1]]),
    new Uint8Array([0xff]),
    // A list with holes, and an object without a prototype.
    Object.assign([], { length: 3 }),
    Object.create(null),
    JSON.parse(
      '{"__proto__":{"type":"block:upsert"},"toString":1,"constructor":{"prototype":{"polluted":true}}}',
    ),
    '__proto__',
    'constructor',
    '\ud800',
    '\0',
    'x'.repeat(10_000),
    cyclic,
    WITH_GETTER,
    ...deepValues,
  ),
)

/** Runs the test and expects that it changes no prototype. */
export function withoutPollution(test: () => void): void {
  const before = prototypes()
  test()
  expect(prototypes()).toEqual(before)
}

function prototypes(): readonly unknown[] {
  return [Object, Array, Function, Map, String, Number].flatMap(({ prototype }) =>
    Reflect.ownKeys(prototype).map((key) => {
      const { value, get } = Object.getOwnPropertyDescriptor(prototype, key) ?? {}
      return [key, value, get]
    }),
  )
}
