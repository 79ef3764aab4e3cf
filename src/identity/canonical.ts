import stringify from 'fast-json-stable-stringify'
import { isObject } from '../json/values.ts'
import { sha256Hex } from './sha256.ts'

/** Why a value has no canonical text. */
export type CanonicalizationErrorCode =
  | 'number'
  | 'not-finite'
  | 'not-json'
  | 'not-plain'
  | 'lone-surrogate'
  | 'cycle'
  | 'too-large'
  | 'too-deep'

/** A value that has no canonical text; `path` leads to the part that is the reason. */
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

/** What a canonical text may hold. */
export interface CanonicalOptions {
  /** False refuses every number; true unless told otherwise. */
  readonly hasNumbers?: boolean
}

/** How deep lists and objects may be nested. */
export const MAX_CANONICAL_DEPTH = 256

/** How many values there may be: an object that stands in many places counts at each of them. */
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
 * Returns the canonical JSON text of a value (RFC 8785): equal values have one text, different values never share one.
 * Throws a `CanonicalizationError` for anything that JSON could not carry there and back: NaN and infinities, undefined,
 * functions, symbols, bigints, objects with a prototype of their own, lone surrogates, cycles, values nested deeper than
 * 256 levels, and more than 5,000,000 of them; a `RangeError` of the engine where the text would be longer than its strings can be.
 * Each getter is read once.
 */
export function canonicalize(value: unknown, { hasNumbers = true }: CanonicalOptions = {}): string {
  return stringify(plainCopy(value, [], { hasNumbers, above: new Set(), count: 0 }))
}

/** Returns the SHA-256 of the UTF-8 bytes of a value's canonical text, as 64 hex digits. Throws like `canonicalize`. */
export function hashCanonical(value: unknown, options: CanonicalOptions = {}): string {
  return sha256Hex(canonicalize(value, options))
}

type Path = readonly (string | number)[]

interface Context {
  readonly hasNumbers: boolean
  /** The objects and lists that the value is in. */
  readonly above: Set<object>
  /** How many values have been met. */
  count: number
}

/** What is written is what was checked: a copy that holds nothing but data. */
function plainCopy(value: unknown, path: Path, context: Context): unknown {
  context.count += 1
  if (context.count > MAX_CANONICAL_VALUES) throw new CanonicalizationError('too-large', path)
  switch (typeof value) {
    case 'boolean':
      return value
    case 'number':
      if (!context.hasNumbers) throw new CanonicalizationError('number', path)
      if (!Number.isFinite(value)) throw new CanonicalizationError('not-finite', path)
      return value
    case 'string':
      return wellFormed(value, path)
    case 'object':
      return value === null ? null : objectCopy(value, path, context)
    default:
      throw new CanonicalizationError('not-json', path)
  }
}

function wellFormed(text: string, path: Path): string {
  if (hasLoneSurrogate(text)) throw new CanonicalizationError('lone-surrogate', path)
  return text
}

/** Whether half a surrogate pair is in the text: such texts have no UTF-8, and several would share a hash. */
export function hasLoneSurrogate(text: string): boolean {
  return /\p{Surrogate}/u.test(text)
}

function objectCopy(value: object, path: Path, context: Context): object {
  const { above } = context
  if (above.has(value)) throw new CanonicalizationError('cycle', path)
  if (above.size >= MAX_CANONICAL_DEPTH) throw new CanonicalizationError('too-deep', path)
  if (!isPlain(value)) throw new CanonicalizationError('not-plain', path)
  above.add(value)
  const copy = Array.isArray(value) ? listCopy(value, path, context) : fieldsCopy(value, path, context)
  above.delete(value)
  return copy
}

function listCopy(list: readonly unknown[], path: Path, context: Context): object {
  const copy: unknown[] = []
  for (let at = 0; at < list.length; at += 1) {
    // A hole may have something behind it, in the prototype.
    const item = Object.hasOwn(list, at) ? list[at] : undefined
    copy.push(plainCopy(item, [...path, at], context))
  }
  return copy
}

function fieldsCopy(value: object, path: Path, context: Context): object {
  const fields = Object.keys(value).map((key) => [
    wellFormed(key, [...path, key]),
    plainCopy(Reflect.get(value, key), [...path, key], context),
  ])
  // Entries, not assignment: `__proto__` is a key like others.
  return Object.setPrototypeOf(Object.fromEntries(fields), null)
}

/** An object or list with nothing of its own but data. Those of other realms are plain too, so no constructor is asked. */
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

/** `01` looks like one and is a field. */
function isIndex(key: string, { length }: readonly unknown[]): boolean {
  const at = Number(key)
  return String(at) === key && Number.isInteger(at) && at >= 0 && at < length
}
