import { createContext, runInContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import {
  CanonicalizationError,
  type CanonicalizationErrorCode,
  canonicalize,
  hashCanonical,
} from '../../../../src/core/identity/canonical.ts'
import { errorOf, refusalOf } from './refusals.ts'

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
    ...['name', '01', '-1', '0.5', '1e0', '4294967295'].map(
      (key): [string, unknown, CanonicalizationErrorCode] => [
        `a list with the field ${key}`,
        Object.assign([0, 1], { [key]: 2 }),
        'not-plain',
      ],
    ),
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
  it('are refused without hasNumbers, finite or not', () => {
    for (const value of [0, -0, 1.5, Number.NaN, Number.POSITIVE_INFINITY])
      expect(refusalOf({ a: [value] }, { hasNumbers: false })).toEqual({ code: 'number', path: ['a', 0] })
  })

  it('are not to be found in booleans, null and digits of texts and keys', () => {
    const value = { 1: [true, false, null, '1', '-0', '1e5', 'NaN'] }
    expect(canonicalize(value, { hasNumbers: false })).toBe(canonicalize(value))
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

function nullObject(fields: object): object {
  return Object.assign(Object.create(null), fields)
}
