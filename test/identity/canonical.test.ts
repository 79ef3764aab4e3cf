import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { createContext, runInContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  CanonicalizationError,
  type CanonicalizationErrorCode,
  canonicalize,
  hashCanonical,
  MAX_CANONICAL_DEPTH,
} from '../../src/identity/canonical.ts'
import { canonicals } from './vectors.ts'

const sha256 = (text: string) => createHash('sha256').update(text, 'utf8').digest('hex')

/** What JSON carries of a value: no minus zero, plain prototypes. */
const carried = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

// Keys and texts of all code points, and those that objects, numbers and JSON's own marks could be confused with.
const unit = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 5 }) },
  fc.constantFrom(
    '__proto__',
    'constructor',
    'toString',
    'toJSON',
    'length',
    '',
    '0',
    '10',
    '9',
    'null',
    '{}',
  ),
)
const json: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(unit, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer(), fc.boolean()),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(unit, tie('value')), { maxLength: 4 }).map(Object.fromEntries),
  ),
})).value

// Few enough that equal ones are met.
const small: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 2, depthSize: 'small' },
    fc.constantFrom(null, true, 0, 1, '', '0', '[]', '{"a":0}', 'null', ','),
    fc.array(tie('value'), { maxLength: 2 }),
    fc
      .array(fc.tuple(fc.constantFrom('', 'a', 'b', '"'), tie('value')), { maxLength: 2 })
      .map(Object.fromEntries),
  ),
})).value

describe('golden vectors', () => {
  it.each(canonicals)('$name', ({ json, text, hash }) => {
    expect(canonicalize(JSON.parse(json))).toBe(text)
    expect(hashCanonical(JSON.parse(json))).toBe(hash)
  })
})

describe('the numbers of RFC 8785, appendix B', () => {
  const double = (bits: string) => {
    const view = new DataView(new ArrayBuffer(8))
    view.setBigUint64(0, BigInt(`0x${bits}`))
    return view.getFloat64(0)
  }

  it.each([
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['ffefffffffffffff', '-1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['c340000000000000', '-9007199254740992'],
    ['4430000000000000', '295147905179352830000'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['44b52d02c7e14af7', '1.0000000000000001e+23'],
    ['444b1ae4d6e2ef4e', '999999999999999700000'],
    ['444b1ae4d6e2ef4f', '999999999999999900000'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555553', '333333333.3333332'],
    ['41b3de4355555554', '333333333.33333325'],
    ['41b3de4355555555', '333333333.3333333'],
    ['41b3de4355555556', '333333333.3333334'],
    ['41b3de4355555557', '333333333.33333343'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
  ])('%s is %s', (bits, text) => {
    expect(canonicalize(double(bits))).toBe(text)
    expect(canonicalize([{ a: double(bits) }])).toBe(`[{"a":${text}}]`)
  })

  it.each(['7fffffffffffffff', '7ff0000000000000', 'fff0000000000000'])('%s is refused', (bits) => {
    expect(refusalOf(double(bits))).toEqual({ code: 'not-finite', path: [] })
  })
})

describe('RFC 8785, section 3.2.4', () => {
  it('has the bytes of its example', () => {
    const example = {
      // biome-ignore lint/correctness/noPrecisionLoss: the example's own
      numbers: [333333333.33333329, 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: '\u20ac$\u000f\u000aA\'\u0042\u0022\u005c\\"/',
      literals: [null, true, false],
    }
    const bytes = `
      7b 22 6c 69 74 65 72 61 6c 73 22 3a 5b 6e 75 6c 6c 2c 74 72 75 65 2c 66 61 6c 73 65 5d 2c 22 6e
      75 6d 62 65 72 73 22 3a 5b 33 33 33 33 33 33 33 33 33 2e 33 33 33 33 33 33 33 2c 31 65 2b 33 30
      2c 34 2e 35 2c 30 2e 30 30 32 2c 31 65 2d 32 37 5d 2c 22 73 74 72 69 6e 67 22 3a 22 e2 82 ac 24
      5c 75 30 30 30 66 5c 6e 41 27 42 5c 22 5c 5c 5c 5c 5c 22 2f 22 7d`
    expect(Buffer.from(canonicalize(example)).toString('hex')).toBe(bytes.replaceAll(/\s/g, ''))
  })
})

describe('laws', () => {
  it('is a fixed point', () => {
    fc.assert(
      fc.property(json, (value) => {
        const text = canonicalize(value)
        expect(canonicalize(JSON.parse(text))).toBe(text)
      }),
    )
  })

  it('loses nothing that JSON carries', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(isDeepStrictEqual(JSON.parse(canonicalize(value)), carried(value))).toBe(true)
      }),
    )
  })

  it('is injective: one text if and only if the values are equal, the order of keys aside', () => {
    fc.assert(
      fc.property(small, small, (left, right) => {
        expect(canonicalize(left) === canonicalize(right)).toBe(isDeepStrictEqual(left, right))
      }),
      { numRuns: 2000 },
    )
  })

  it('does not depend on the order of keys', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(canonicalize(reversed(value))).toBe(canonicalize(value))
      }),
    )
  })

  it('hashes like SHA-256 of the UTF-8 bytes, done by Node', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(hashCanonical(value)).toBe(sha256(canonicalize(value)))
      }),
    )
  })

  it('hashes every length of text, over the edges of a block', () => {
    for (let length = 0; length < 200; length += 1) {
      const text = 'é'.repeat(length)
      expect(hashCanonical(text)).toBe(sha256(`"${text}"`))
    }
  })

  it('does not change or freeze its argument', () => {
    fc.assert(
      fc.property(json, (value) => {
        const before = JSON.stringify(value)
        canonicalize(value)
        hashCanonical(value)
        expect(JSON.stringify(value)).toBe(before)
        if (typeof value === 'object' && value !== null && Object.keys(value).length > 0)
          expect(Object.isFrozen(value)).toBe(false)
      }),
    )
  })

  it('takes values that are frozen', () => {
    expect(canonicalize(Object.freeze({ b: Object.freeze([1]), a: 0 }))).toBe('{"a":0,"b":[1]}')
  })
})

describe('what is no JSON', () => {
  class Point {
    readonly x = 1
  }
  const places: readonly [
    where: string,
    put: (value: unknown) => unknown,
    path: CanonicalizationError['path'],
  ][] = [
    ['alone', (value) => value, []],
    ['in a list', (value) => [0, value], [1]],
    ['in an object', (value) => ({ a: 0, b: value }), ['b']],
    ['deep', (value) => ({ a: [{ '': [[], value] }] }), ['a', 0, '', 1]],
    ['under a name of every object', (value) => Object.fromEntries([['__proto__', value]]), ['__proto__']],
  ]

  describe.each<[name: string, value: unknown, code: CanonicalizationErrorCode]>([
    ['NaN', Number.NaN, 'not-finite'],
    ['Infinity', Number.POSITIVE_INFINITY, 'not-finite'],
    ['-Infinity', Number.NEGATIVE_INFINITY, 'not-finite'],
    ['undefined', undefined, 'not-json'],
    ['a function', () => 1, 'not-json'],
    ['a class', Point, 'not-json'],
    ['a symbol', Symbol('s'), 'not-json'],
    ['a bigint', 1n, 'not-json'],
    ['a Map', new Map([['a', 1]]), 'not-plain'],
    ['a Set', new Set([1]), 'not-plain'],
    ['a Date', new Date(0), 'not-plain'],
    ['a RegExp', /a/, 'not-plain'],
    ['an Error', new Error('a'), 'not-plain'],
    ['a class instance', new Point(), 'not-plain'],
    ['an object that inherits', Object.create({ a: 1 }), 'not-plain'],
    ['one that inherits what plain ones do', Object.create({ isPrototypeOf: () => true }), 'not-plain'],
    ['bytes', new Uint8Array(2), 'not-plain'],
    ['a Buffer', Buffer.from('a'), 'not-plain'],
    ['an ArrayBuffer', new ArrayBuffer(2), 'not-plain'],
    ['a boxed number', Object(1), 'not-plain'],
    ['a boxed text', Object('a'), 'not-plain'],
    ['a promise', Promise.resolve(1), 'not-plain'],
    ['a WeakMap', new WeakMap(), 'not-plain'],
    ['a namespace', Math, 'not-plain'],
    ['an object with a symbol as a key', { a: 1, [Symbol('s')]: 2 }, 'not-plain'],
    ['an object with a symbol as a key, without a prototype', nullObject({ [Symbol('s')]: 2 }), 'not-plain'],
    ['half a surrogate pair, the first', 'a\ud83d', 'lone-surrogate'],
    ['half a surrogate pair, the second', '\ude00a', 'lone-surrogate'],
    ['a surrogate pair the wrong way round', '\ude00\ud83d', 'lone-surrogate'],
    ['two first halves', '\ud83d\ud83d\ude00', 'lone-surrogate'],
  ])('%s', (_, value, code) => {
    it.each(places)('is refused %s', (_where, put, path) => {
      expect(refusalOf(put(value))).toEqual({ code, path })
    })
  })

  it.each<[name: string, value: unknown, path: CanonicalizationError['path']]>([
    ['a hole', Array.from({ length: 3 }).fill(0, 0, 1), [1]],
    ['nothing but holes', new Array(4_294_967_295), [0]],
    // biome-ignore lint/suspicious/noSparseArray: that is what it is about
    ['a hole in the middle', { a: [1, , 3] }, ['a', 1]],
  ])('a list with %s is refused', (_, value, path) => {
    expect(refusalOf(value)).toEqual({ code: 'not-json', path })
  })

  it('names the key that is half a surrogate pair', () => {
    expect(refusalOf([{ a: 1, 'b\ud83d': 2 }])).toEqual({ code: 'lone-surrogate', path: [0, 'b\ud83d'] })
  })

  it('names the first that is wrong, in the order of the value', () => {
    expect(refusalOf({ b: [1, undefined], a: Number.NaN })).toEqual({ code: 'not-json', path: ['b', 1] })
  })

  it('names a key as it is, however it is called', () => {
    const value = Object.fromEntries([['__proto__', { constructor: { 'a.b': [0, undefined] } }]])
    expect(refusalOf(value)).toEqual({ code: 'not-json', path: ['__proto__', 'constructor', 'a.b', 1] })
  })

  it('says what is wrong and where, for people', () => {
    const messages = [{ a: [Number.NaN] }, undefined, [new Map()], { '': '\ud83d' }].map(
      (value) => errorOf(value)?.message,
    )
    expect(messages).toEqual([
      'a number that is not finite at ["a",0]',
      'a value that JSON does not have at the top',
      'an object that is neither plain nor a list at [0]',
      'a text with half a surrogate pair at [""]',
    ])
    expect(errorOf(1, { hasNumbers: false })?.message).toBe('a number where none may be at the top')
    const error = errorOf(1n)
    expect(error).toBeInstanceOf(Error)
    expect(error?.name).toBe('CanonicalizationError')
  })

  it('is refused before it is hashed', () => {
    expect(() => hashCanonical([undefined])).toThrow(CanonicalizationError)
  })
})

describe('numbers', () => {
  it('are refused where none may be, finite or not', () => {
    for (const value of [0, -0, 1.5, Number.NaN, Number.POSITIVE_INFINITY])
      expect(refusalOf({ a: [value] }, { hasNumbers: false })).toEqual({ code: 'number', path: ['a', 0] })
  })

  it('are not to be found in booleans, null and digits of texts and keys', () => {
    const value = { 1: [true, false, null, '1', '-0', '1e5', 'NaN'] }
    expect(canonicalize(value, { hasNumbers: false })).toBe(canonicalize(value))
  })
})

describe('objects within objects', () => {
  it('may be met twice, if they do not contain themselves', () => {
    const shared = { a: [1] }
    expect(canonicalize([shared, shared, { b: shared, c: shared.a }])).toBe(
      '[{"a":[1]},{"a":[1]},{"b":{"a":[1]},"c":[1]}]',
    )
  })

  it('may be met again in what they do not contain', () => {
    const inner = {}
    expect(canonicalize({ a: inner, b: { c: inner, d: [inner, inner] } })).toBe(
      '{"a":{},"b":{"c":{},"d":[{},{}]}}',
    )
  })

  it('are refused if they contain themselves, where they are met again', () => {
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

  it('may be 5,000,000 values and no more, those that are met again counted again', () => {
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

  it('may be many beside each other', () => {
    const value = Array.from({ length: 100_000 }, (_, at) => ({ b: at, a: [] }))
    expect(canonicalize(value)).toHaveLength(JSON.stringify(value).length)
  })
})

describe('plain objects', () => {
  it('may have no prototype', () => {
    expect(canonicalize(nullObject({ b: 1, a: nullObject({}) }))).toBe('{"a":{},"b":1}')
  })

  it('may come from another realm', () => {
    const realm = createContext({})
    expect(canonicalize(runInContext('({ b: [{}, "x"], a: Object.create(null) })', realm))).toBe(
      '{"a":{},"b":[{},"x"]}',
    )
    expect(refusalOf(runInContext('[new Map()]', realm))).toEqual({ code: 'not-plain', path: [0] })
    expect(refusalOf(runInContext('[new (class { x = 1 })()]', realm))).toEqual({
      code: 'not-plain',
      path: [0],
    })
  })

  it('may have keys that every object has', () => {
    const text = '{"__proto__":{"toJSON":1},"constructor":null,"hasOwnProperty":"x","toString":[]}'
    expect(canonicalize(JSON.parse(text))).toBe(text)
    expect({}).not.toHaveProperty('toJSON')
  })

  it('differ by such keys', () => {
    expect(hashCanonical(JSON.parse('{"__proto__":{}}'))).not.toBe(hashCanonical({}))
    expect(hashCanonical({ toJSON: null })).not.toBe(hashCanonical({}))
  })

  it('may not say themselves how they are written', () => {
    expect(refusalOf({ toJSON: () => 1 })).toEqual({ code: 'not-json', path: ['toJSON'] })
  })

  it('keep a key whose text is empty, and one whose value is falsy', () => {
    expect(canonicalize({ a: '', b: 0, c: false, d: null, '': [] })).toBe(
      '{"":[],"a":"","b":0,"c":false,"d":null}',
    )
  })
})

function errorOf(
  value: unknown,
  options?: Parameters<typeof canonicalize>[1],
): CanonicalizationError | undefined {
  try {
    canonicalize(value, options)
  } catch (error) {
    if (error instanceof CanonicalizationError) return error
    throw error
  }
  return undefined
}

function refusalOf(
  value: unknown,
  options?: Parameters<typeof canonicalize>[1],
): Pick<CanonicalizationError, 'code' | 'path'> | undefined {
  const error = errorOf(value, options)
  return error && { code: error.code, path: error.path }
}

function nullObject(fields: object): object {
  return Object.assign(Object.create(null), fields)
}

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, part]) => [key, reversed(part)]),
  )
}
