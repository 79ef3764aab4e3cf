import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalize, hashCanonical } from '../../../../src/core/identity/canonical.ts'
import { runs } from '../../../depth.ts'
import { canonicals } from '../vectors.ts'
import { refusalOf } from './refusals.ts'

const sha256 = (text: string) => createHash('sha256').update(text, 'utf8').digest('hex')

/** The value after a round trip through JSON: no minus zero, plain prototypes. */
const carried = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

// Keys and texts of all code points, and texts that look like parts of objects, numbers or JSON syntax.
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

// The set of values is small, so equal values are likely.
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
      { numRuns: runs(2000) },
    )
  })

  it('does not depend on the order of keys', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(canonicalize(reversed(value))).toBe(canonicalize(value))
      }),
    )
  })

  it('hashes like Node’s SHA-256 of the UTF-8 bytes', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(hashCanonical(value)).toBe(sha256(canonicalize(value)))
      }),
    )
  })

  it('hashes texts of every length, across the borders of a SHA-256 block', () => {
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

  it('accepts frozen values', () => {
    expect(canonicalize(Object.freeze({ b: Object.freeze([1]), a: 0 }))).toBe('{"a":0,"b":[1]}')
  })
})

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, part]) => [key, reversed(part)]),
  )
}
