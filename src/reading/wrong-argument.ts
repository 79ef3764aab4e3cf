import { checkOf } from '../core/json/check-shape.ts'
import { type Fields, fieldName } from '../core/json/shape.ts'
import { isObject } from '../core/json/values.ts'

/** Throws a `TypeError` (`wrong-argument`) unless an argument is right. A source in JavaScript has no compiler that sees it. */
export function requireArgument(isRight: boolean, call: string, expected: string): void {
  if (!isRight)
    throw Object.assign(new TypeError(`context.${call}: pass ${expected}`), { code: 'wrong-argument' })
}

/** Returns whether a value is an object with these fields, and with no other: a wrong name would be ignored. */
export function exactFields(fields: Fields): (value: unknown) => boolean {
  const check = checkOf({ fields })
  const names = new Set(Object.keys(fields).map(fieldName))
  return (value) =>
    isObject(value) && check(value, undefined, []) && Object.keys(value).every((name) => names.has(name))
}
