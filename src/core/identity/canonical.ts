import stringify from 'fast-json-stable-stringify'
import { sha256Hex } from '../json/sha256.ts'
import { isObject } from '../json/values.ts'

/**
 * The reason why a value has no canonical text:
 * - `number`: a number, and `hasNumbers` is false
 * - `not-finite`: a number that is not finite
 * - `not-json`: a value that JSON does not have, such as undefined or a function
 * - `not-plain`: an object that is neither plain nor a list
 * - `lone-surrogate`: a text or a key with half a surrogate pair
 * - `cycle`: an object that contains itself
 * - `too-large`: more than 5,000,000 values
 * - `too-deep`: a value nested deeper than 256 levels
 */
export type CanonicalizationErrorCode =
  | 'number'
  | 'not-finite'
  | 'not-json'
  | 'not-plain'
  | 'lone-surrogate'
  | 'cycle'
  | 'too-large'
  | 'too-deep'

/** A value has no canonical text. `path` leads to the part that is the reason. */
export class CanonicalizationError extends Error {
  readonly code: CanonicalizationErrorCode
  readonly path: readonly (string | number)[]

  constructor(code: CanonicalizationErrorCode, path: readonly (string | number)[]) {
    super(`${REASONS[code]} at ${path.length === 0 ? 'the top' : JSON.stringify(path)}`)
    this.name = 'CanonicalizationError'
    this.code = code
    this.path = path
  }
}

/** The options of `canonicalize`. */
export interface CanonicalOptions {
  /** False refuses every number; true by default. */
  readonly hasNumbers?: boolean
}

/** The number of levels that lists and objects may be nested. */
export const MAX_CANONICAL_DEPTH = 256

/** The number of values. An object in several places counts in each of them. */
const MAX_CANONICAL_VALUES = 5_000_000

const REASONS: Readonly<Record<CanonicalizationErrorCode, string>> = {
  number: 'a number where none may be',
  'not-finite': 'a number that is not finite',
  'not-json': 'a value that JSON does not have',
  'not-plain': 'an object that is neither plain nor a list',
  'lone-surrogate': 'a text with half a surrogate pair',
  cycle: 'an object that contains itself',
  'too-large': `more than ${MAX_CANONICAL_VALUES.toLocaleString('en-US')} values`,
  'too-deep': `a value nested deeper than ${MAX_CANONICAL_DEPTH} levels`,
}

/**
 * Returns the canonical JSON text of a value (RFC 8785). Equal values have one text, and different values never share
 * a text.
 *
 * Throws a `CanonicalizationError` for each value that JSON cannot carry there and back. Such values are NaN,
 * infinities, undefined, functions, symbols, bigints, objects with a prototype of their own, lone surrogates and
 * cycles. The same error refuses more than 256 levels and more than 5,000,000 values. The engine throws a
 * `RangeError` if the text is longer than its longest string. A getter runs once.
 */
export function canonicalize(value: unknown, { hasNumbers = true }: CanonicalOptions = {}): string {
  return stringify(copyValue(value, { hasNumbers, path: [], ancestors: new Set(), count: 0 }))
}

/** Returns the SHA-256 of the UTF-8 bytes of a value's canonical text, as 64 hex digits. Throws like `canonicalize`. */
export function hashCanonical(value: unknown, options: CanonicalOptions = {}): string {
  return sha256Hex(canonicalize(value, options))
}

interface Context {
  readonly hasNumbers: boolean
  /** The keys that lead to the current value. */
  readonly path: (string | number)[]
  /** The objects and lists around the current value. */
  readonly ancestors: Set<object>
  /** The number of values so far. */
  count: number
}

/** Copies a value and checks it at the same time. The text comes from the copy, which is plain data only. */
function copyValue(value: unknown, context: Context): unknown {
  context.count += 1
  if (context.count > MAX_CANONICAL_VALUES) throw refusal('too-large', context)
  switch (typeof value) {
    case 'boolean':
      return value
    case 'number':
      if (!context.hasNumbers) throw refusal('number', context)
      if (!Number.isFinite(value)) throw refusal('not-finite', context)
      return value
    case 'string':
      if (hasLoneSurrogate(value)) throw refusal('lone-surrogate', context)
      return value
    case 'object':
      return value === null ? null : copyObject(value, context)
    default:
      throw refusal('not-json', context)
  }
}

/** Returns whether half a surrogate pair is in the text. Such a text has no UTF-8, and several of them would share a hash. */
export function hasLoneSurrogate(text: string): boolean {
  return /\p{Surrogate}/u.test(text)
}

function copyObject(value: object, context: Context): object {
  const { ancestors } = context
  if (ancestors.has(value)) throw refusal('cycle', context)
  if (ancestors.size >= MAX_CANONICAL_DEPTH) throw refusal('too-deep', context)
  if (!isPlain(value)) throw refusal('not-plain', context)
  ancestors.add(value)
  const copy = Array.isArray(value) ? copyList(value, context) : copyFields(value, context)
  ancestors.delete(value)
  return copy
}

function copyList(list: readonly unknown[], context: Context): object {
  const copy: unknown[] = []
  // At a hole, `list[at]` would read the prototype.
  for (let at = 0; at < list.length; at += 1)
    copy.push(copyPart(at, Object.hasOwn(list, at) ? list[at] : undefined, context))
  return copy
}

function copyFields(value: object, context: Context): object {
  const fields = Object.keys(value).map((key) => [key, copyField(key, value, context)])
  // `fromEntries` defines a key `__proto__` like other keys; an assignment would set the prototype.
  return Object.setPrototypeOf(Object.fromEntries(fields), null)
}

function copyField(key: string, value: object, context: Context): unknown {
  if (hasLoneSurrogate(key)) throw new CanonicalizationError('lone-surrogate', [...context.path, key])
  return copyPart(key, Reflect.get(value, key), context)
}

function copyPart(key: string | number, part: unknown, context: Context): unknown {
  context.path.push(key)
  const copy = copyValue(part, context)
  context.path.pop()
  return copy
}

function refusal(code: CanonicalizationErrorCode, { path }: Context): CanonicalizationError {
  return new CanonicalizationError(code, path)
}

/** Returns whether an object or list has data only. It compares no constructors, because other realms have plain objects too. */
function isPlain(value: object): boolean {
  if (Object.getOwnPropertySymbols(value).length > 0) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  if (Array.isArray(value))
    return Array.isArray(prototype) && Object.keys(value).every((key) => isIndex(key, value))
  if (prototype === null) return true
  return (
    isObject(prototype) &&
    Object.getPrototypeOf(prototype) === null &&
    Object.hasOwn(prototype, 'isPrototypeOf')
  )
}

/** A key such as `01` looks like an index but is a field. */
function isIndex(key: string, { length }: readonly unknown[]): boolean {
  const at = Number(key)
  return String(at) === key && Number.isInteger(at) && at >= 0 && at < length
}
