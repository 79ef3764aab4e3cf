import { isObject, type JsonObject } from '../json/values.ts'

/**
 * Why a value is no event, and where: `path` leads to the field, `expected` says what belongs there.
 * - `invalid-value`: of another kind
 * - `unknown-type`: an event, a block or a part of another type
 * - `too-deep`: nested deeper than 256 levels
 * - `unreadable`: a getter or a proxy threw when it was looked at
 */
export interface EventIssue {
  readonly code: 'invalid-value' | 'unknown-type' | 'too-deep' | 'unreadable'
  readonly path: readonly (string | number)[]
  readonly expected: string
}

/** What a value has to be, as data, so that what nobody imports is left out of a bundle. */
export type Shape =
  | Kind
  | { readonly oneOf: readonly string[] }
  | { readonly listOf: Shape }
  | { readonly stringOr: Shape }
  | { readonly fields: Fields }
  | Variants

/** Fields by name; one whose name ends in `?` may be absent. Others than these are let through. */
export interface Fields {
  readonly [name: string]: Shape
}

/** An object that has some fields in any case, and further ones by its `type`. */
export interface Variants<Type extends string = string> {
  readonly fields: Fields
  readonly byType: Readonly<Record<Type, Fields>>
}

/** Of a long list that is wrong throughout, this many items are told. */
const MAX_ISSUES = 100

type Path = readonly (string | number)[]

/** Looks at a value; collects issues if there is somewhere to put them. */
type Check = (value: unknown, issues: EventIssue[] | undefined, path: Path) => boolean

type Kind = 'string' | 'boolean' | 'finite number' | 'JSON value'

const KINDS: Readonly<Record<Kind, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  'finite number': (value) => Number.isFinite(value),
  'JSON value': (value) => value !== undefined,
}

/** Returns the function that looks whether a value has the shape. */
export function checkOf(shape: Shape): Check {
  if (typeof shape === 'string') return when(`a ${shape}`, KINDS[shape])
  if ('oneOf' in shape) return oneOf(shape.oneOf)
  if ('listOf' in shape) return list(checkOf(shape.listOf))
  if ('stringOr' in shape) return stringOr(checkOf(shape.stringOr))
  return 'byType' in shape ? variant(shape) : object(fieldsOf(shape.fields))
}

function when(expected: string, isMet: (value: unknown) => boolean): Check {
  return (value, issues, path) => isMet(value) || refuse(issues, 'invalid-value', path, expected)
}

function oneOf(options: readonly string[]): Check {
  return when(`one of ${options.join(', ')}`, (value) => typeof value === 'string' && options.includes(value))
}

function list(check: Check): Check {
  return (value, issues, path) => {
    if (!Array.isArray(value)) return refuse(issues, 'invalid-value', path, 'a list')
    let isRight = true
    // Not `every`, which passes over holes.
    for (let at = 0; at < value.length; at += 1) {
      if (check(value[at], issues, issues ? [...path, at] : path)) continue
      if (!issues || issues.length >= MAX_ISSUES) return false
      isRight = false
    }
    return isRight
  }
}

function stringOr(check: Check): Check {
  return (value, issues, path) => typeof value === 'string' || check(value, issues, path)
}

function object(fields: readonly Field[]): Check {
  return (value, issues, path) =>
    isObject(value)
      ? checkFields(fields, value, issues, path)
      : refuse(issues, 'invalid-value', path, 'an object')
}

function variant({ fields, byType }: Variants): Check {
  const variants = new Map<unknown, readonly Field[]>()
  for (const type of Object.keys(byType)) variants.set(type, fieldsOf({ ...fields, ...byType[type] }))
  return (value, issues, path) => {
    if (!isObject(value)) return refuse(issues, 'invalid-value', path, 'an object')
    const isPlain = inheritsNothing(value)
    const known = isPlain || isOwn(value, 'type') ? variants.get(value.type) : undefined
    if (known) return checkFields(known, value, issues, path, isPlain)
    return refuse(issues, 'unknown-type', [...path, 'type'], `one of ${[...variants.keys()].join(', ')}`)
  }
}

interface Field {
  readonly name: string
  readonly check: Check
  readonly isOptional: boolean
}

function fieldsOf(fields: Fields): readonly Field[] {
  return Object.entries(fields).map(([name, shape]) => ({
    name: name.replace('?', ''),
    check: checkOf(shape),
    isOptional: name.endsWith('?'),
  }))
}

/** Stops at the first wrong field unless the issues are wanted. */
function checkFields(
  fields: readonly Field[],
  value: JsonObject,
  issues: EventIssue[] | undefined,
  path: Path,
  isPlain: boolean = inheritsNothing(value),
): boolean {
  let isRight = true
  for (const { name, check, isOptional } of fields) {
    const field = value[name]
    if (field === undefined && isOptional) continue
    const at = issues ? [...path, name] : path
    const isCopied = field === undefined || isPlain || isOwn(value, name)
    if (isCopied ? check(field, issues, at) : refuse(issues, 'invalid-value', at, OWN)) continue
    if (!issues) return false
    isRight = false
  }
  return isRight
}

const OWN = 'own field'

function inheritsNothing(value: JsonObject): boolean {
  return Object.getPrototypeOf(value) === Object.prototype
}

/** Whether a copy has the field: what is inherited or hidden gets lost in one. */
function isOwn(value: JsonObject, name: string): boolean {
  return Object.prototype.propertyIsEnumerable.call(value, name)
}

function refuse(
  issues: EventIssue[] | undefined,
  code: EventIssue['code'],
  path: Path,
  expected: string,
): false {
  issues?.push({ code, path, expected })
  return false
}
