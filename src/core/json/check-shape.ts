import { type Fields, fieldName, type Kind, type Shape, type Variants } from './shape.ts'
import { isObject, type JsonObject } from './values.ts'

/**
 * One problem with the shape of a value:
 * - `invalid-value`: the value is of another kind
 * - `unknown-type`: the object's `type` is not in the list
 */
export type ShapeIssue = ValueIssue<'invalid-value' | 'unknown-type'>

type Path = ShapeIssue['path']

/** Returns a sentence about an issue, such as `state.blocks.0.id must be a string`. */
export function describeIssue({ path, expected }: ShapeIssue): string {
  return `${path.join('.')} must be ${expected}`
}

/** Takes the issues of a check. */
interface Issues {
  readonly length: number
  push(issue: ShapeIssue): unknown
}

/** Returns whether a value has a shape. It adds every issue to the list. Without a list it stops at the first issue. */
type Check = (value: unknown, issues: Issues | undefined, path: Path) => boolean

/** The check of a list stops after this many issues, because a list can be wrong in a billion items. */
export const MAX_ISSUES = 100

const KINDS: Readonly<Record<Kind, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  name: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  'literal true': (value) => value === true,
  'finite number': (value) => Number.isFinite(value),
  'JSON value': (value) => value !== undefined,
  'JSON object': isObject,
}

/** Returns the function that checks whether a value has the shape. It throws what a getter or a proxy of the value throws. */
export function checkOf(shape: Shape): Check {
  if (typeof shape === 'string') return when(`a ${shape === 'name' ? 'string' : shape}`, KINDS[shape])
  if ('oneOf' in shape) return oneOf(Object.keys(shape.oneOf))
  if ('listOf' in shape) return list(checkOf(shape.listOf))
  if ('stringOr' in shape) return stringOr(checkOf(shape.stringOr))
  return 'byType' in shape ? variant(shape) : object(fieldChecks(shape.fields))
}

function when(expected: string, isRight: (value: unknown) => boolean): Check {
  return (value, issues, path) => isRight(value) || refuse(issues, 'invalid-value', path, expected)
}

function oneOf(options: readonly string[]): Check {
  return when(`one of ${options.join(', ')}`, (value) => typeof value === 'string' && options.includes(value))
}

function list(check: Check): Check {
  return (value, issues, path) => {
    if (!Array.isArray(value)) return refuse(issues, 'invalid-value', path, 'a list')
    let isRight = true
    // `every` would skip the holes of a list.
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

function object(fields: readonly FieldCheck[]): Check {
  return (value, issues, path) =>
    isObject(value)
      ? checkFields(fields, value, issues, path)
      : refuse(issues, 'invalid-value', path, 'an object')
}

function variant({ fields, byType }: Variants): Check {
  const variants = new Map<unknown, readonly FieldCheck[]>()
  for (const type of Object.keys(byType)) variants.set(type, fieldChecks({ ...fields, ...byType[type] }))
  return (value, issues, path) => {
    if (!isObject(value)) return refuse(issues, 'invalid-value', path, 'an object')
    const known = isKept(value, 'type') ? variants.get(value.type) : undefined
    if (known) return checkFields(known, value, issues, path)
    return refuse(issues, 'unknown-type', [...path, 'type'], `one of ${[...variants.keys()].join(', ')}`)
  }
}

interface FieldCheck {
  readonly name: string
  readonly check: Check
  readonly isOptional: boolean
}

function fieldChecks(fields: Fields): readonly FieldCheck[] {
  return Object.entries(fields).map(([entry, shape]) => ({
    name: fieldName(entry),
    check: checkOf(shape),
    isOptional: entry.endsWith('?'),
  }))
}

function checkFields(
  fields: readonly FieldCheck[],
  value: JsonObject,
  issues: Issues | undefined,
  path: Path,
): boolean {
  let isRight = true
  const isPlain = Object.getPrototypeOf(value) === Object.prototype
  for (const { name, check, isOptional } of fields) {
    const field = value[name]
    if (field === undefined && isOptional) continue
    const at = issues ? [...path, name] : path
    const isLost = !isPlain && field !== undefined && !isKept(value, name)
    if (isLost ? refuse(issues, 'invalid-value', at, 'an own field') : check(field, issues, at)) continue
    if (!issues) return false
    isRight = false
  }
  return isRight
}

/** Whether a copy of the object has the field. A copy loses inherited fields. */
function isKept(value: JsonObject, name: string): boolean {
  return (
    Object.getPrototypeOf(value) === Object.prototype ||
    Object.prototype.propertyIsEnumerable.call(value, name)
  )
}

/** Adds an issue to the list, if there is one. */
export function refuse(
  issues: Issues | undefined,
  code: ShapeIssue['code'],
  path: Path,
  expected: string,
): false {
  issues?.push({ code, path, expected })
  return false
}

/** One problem in a foreign value. A part that reads foreign values names its own codes. */
export interface ValueIssue<Code extends string = string> {
  readonly code: Code
  /** Leads from the value to the part with the problem. */
  readonly path: readonly (string | number)[]
  /** Describes the value that belongs there. */
  readonly expected: string
}

/**
 * The value is not a usable snapshot of a state, or not a usable saved session.
 * - `not-a-snapshot`: the value is something else, or a part of it is malformed; `issues` say where
 * - `unknown-version`: another version of the library made it
 * - `other-source`: another source read the session
 * - `damaged`: a part of the session has changed since it was saved
 */
export class SnapshotError extends Error {
  readonly code: 'not-a-snapshot' | 'unknown-version' | 'other-source' | 'damaged'
  readonly issues: readonly ShapeIssue[]

  constructor(code: SnapshotError['code'], message: string, issues: readonly ShapeIssue[] = []) {
    super(message)
    this.name = 'SnapshotError'
    this.code = code
    this.issues = issues
  }
}
