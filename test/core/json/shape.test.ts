import { describe, expect, expectTypeOf, it } from 'vitest'
import { checkOf, type ShapeIssue } from '../../../src/core/json/check-shape.ts'
import {
  type FieldsOf,
  fieldNames,
  mergeFields,
  type ShapeOf,
  type VariantsOf,
} from '../../../src/core/json/shape.ts'

interface Part {
  readonly text: string
  readonly size?: number
}

type Shape = { readonly type: 'circle'; readonly id: string; readonly radius: number } | Square
type Square = { readonly type: 'square'; readonly id: string; readonly side?: number }

const PART: FieldsOf<Part> = { text: 'string', 'size?': 'finite number' }

describe('the compiler asks', () => {
  it('for each field and its kind', () => {
    expectTypeOf<FieldsOf<Part>>().toEqualTypeOf<{
      readonly text: 'string' | 'name'
      readonly 'size?': 'finite number'
    }>()
    expectTypeOf<{ readonly text: 'string' }>().not.toExtend<FieldsOf<Part>>()
    expectTypeOf<{ readonly text: 'boolean'; readonly 'size?': 'finite number' }>().not.toExtend<
      FieldsOf<Part>
    >()
    expectTypeOf<{ readonly text: 'string'; readonly size: 'finite number' }>().not.toExtend<FieldsOf<Part>>()
  })

  it('for each member of a closed set and of a union', () => {
    expectTypeOf<{ readonly oneOf: { readonly a: true } }>().not.toExtend<ShapeOf<'a' | 'b'>>()
    expectTypeOf<VariantsOf<Shape, { readonly id: string }>['byType']>().toEqualTypeOf<{
      readonly circle: { readonly radius: 'finite number' }
      readonly square: { readonly 'side?': 'finite number' }
    }>()
  })

  it('for the parts of a value', () => {
    expectTypeOf<ShapeOf<unknown>>().toEqualTypeOf<'JSON value'>()
    expectTypeOf<ShapeOf<readonly string[]>>().toEqualTypeOf<{ readonly listOf: 'string' | 'name' }>()
    expectTypeOf<ShapeOf<Part>>().toEqualTypeOf<{ readonly fields: FieldsOf<Part> }>()
    expectTypeOf<ShapeOf<string | readonly boolean[]>>().toEqualTypeOf<{
      readonly stringOr: { readonly listOf: 'boolean' }
    }>()
  })
})

it('names the fields without the mark of optional ones', () => {
  expect(fieldNames<Part>(PART)).toEqual(['text', 'size'])
})

it('merges fields of two or three parts', () => {
  expect(mergeFields({ a: 'string' }, { b: 'boolean' })).toEqual({ a: 'string', b: 'boolean' })
  expect(mergeFields({ a: 'string' }, {}, { 'c?': 'string' })).toEqual({ a: 'string', 'c?': 'string' })
})

describe('a check', () => {
  const check = checkOf({ listOf: { fields: PART } })
  const wrong = [{ text: 'x' }, { text: 1, size: '2' }]

  it('adds every issue to the list', () => {
    const issues: ShapeIssue[] = []
    expect(check(wrong, issues, ['parts'])).toBe(false)
    expect(issues).toEqual([
      { code: 'invalid-value', path: ['parts', 1, 'text'], expected: 'a string' },
      { code: 'invalid-value', path: ['parts', 1, 'size'], expected: 'a finite number' },
    ])
  })

  it('gives the same answer without a list', () => {
    expect(check(wrong, undefined, [])).toBe(false)
    expect(check(wrong.slice(0, 1), undefined, [])).toBe(true)
  })
})
