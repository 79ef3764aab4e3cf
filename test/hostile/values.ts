import fc from 'fast-check'
import { expect } from 'vitest'

/** JSON nested so deep, as lists, as objects, and as both. */
export const deepJson = (depth: number): readonly string[] => [
  `${'['.repeat(depth)}1${']'.repeat(depth)}`,
  `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`,
  `${'{"content":['.repeat(depth / 2)}1${']}'.repeat(depth / 2)}`,
]

const deepValues = deepJson(100_000).map((json): unknown => JSON.parse(json))

const cyclic: { self?: unknown } = {}
cyclic.self = cyclic

/** Contains itself at two places: each way down has two ways on. */
export function doublyCyclic(): object {
  const value: { left?: unknown; right?: unknown } = {}
  return Object.assign(value, { left: value, right: value })
}

/** Each part stands in two places: few objects, and ways through them without number. */
export function shared(depth: number): unknown {
  return Array.from({ length: depth }).reduce<unknown>((inner) => ({ left: inner, right: inner }), 1)
}

/** What the values throw that throw. */
export const ASKED_FOR: Error = new Error('you asked for it')

const throwing = (): never => {
  throw ASKED_FOR
}

/** Proxies are left to tests of their own: fast-check itself asks a value what it has. */
const WITH_GETTER = {
  get type(): never {
    return throwing()
  },
}

/** A value that throws whatever is done with it. */
export function touchy(): object {
  return new Proxy({}, { get: throwing, has: throwing, ownKeys: throwing, getPrototypeOf: throwing })
}

/** A value that was one and is none any more. */
export function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

/** What no JSON is, and JSON that is hard to handle. */
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

/** Runs the test and expects that no prototype has got anything by it. */
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
