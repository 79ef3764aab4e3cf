import { compareStrings } from './lists.ts'
import { isObject, NO_FIELDS } from './values.ts'

type MaybeUndefined<Value> = unknown extends Value ? false : undefined extends Value ? true : false

/** The item, with an optional key for each value that may be undefined. */
type OmitUndefined<Item> = Item extends unknown
  ? { [Key in keyof Item as MaybeUndefined<Item[Key]> extends true ? never : Key]: Item[Key] } & {
      [Key in keyof Item as MaybeUndefined<Item[Key]> extends true ? Key : never]?: Exclude<
        Item[Key],
        undefined
      >
    }
  : never

/** The item, with optional fields that may also be undefined. A source often does not know them. */
export type AllowUndefined<Item> = Item extends unknown
  ? {
      readonly [Key in keyof Item]: Partial<Pick<Item, Key>> extends Pick<Item, Key>
        ? Item[Key] | undefined
        : Item[Key]
    }
  : never

/**
 * Returns the item without the keys whose value is undefined, because an unknown field is absent. An item without
 * such keys is the result itself. It copies field by field, for the reason in `withChanges`.
 */
export function omitUndefined<const Item extends object>(item: Item): OmitUndefined<Item>
export function omitUndefined(item: Readonly<Record<string, unknown>>): object {
  if (!hasUndefined(item)) return item
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(item)) {
    const value = item[key]
    if (value === undefined) continue
    // An assignment to this key would set the prototype.
    if (key === '__proto__') Object.defineProperty(copy, key, { ...DATA, value })
    else copy[key] = value
  }
  return copy
}

/** Whether a field of the object is undefined. */
export function hasUndefined<Item extends object>(item: Item): boolean {
  for (const key in item) if (item[key] === undefined) return true
  return false
}

const DATA = { configurable: true, enumerable: true, writable: true }

/**
 * Returns a copy of an item with changed fields. V8 clones the first object that a literal spreads. If such a clone
 * gets a new field, or is frozen, V8 makes a hidden class for it alone. All code that reads it later is many times
 * slower. So an object without fields comes first. `Object.assign({}, …)` makes as good a copy, but a field
 * `__proto__` would set its prototype.
 */
export function withChanges<Item extends object>(item: Item, changes: Partial<Item>): Mutable<Item> {
  return { ...NO_FIELDS, ...item, ...changes }
}

/** Returns a copy that may be frozen, or get new fields. `withChanges` says why it is no simple spread. */
export function shallowCopy<Item extends object>(item: Item): Mutable<Item> {
  return { ...NO_FIELDS, ...item }
}

/** Changed fields of an item. An undefined one leaves the item. */
export type Changes<Item> = { readonly [Name in keyof Item]?: Item[Name] | undefined }

/** Whether the item would change if it took over the fields. */
export function hasChanges<Item extends object>(item: Item, changes: Changes<Item>): boolean {
  for (const key in changes) if (item[key] !== changes[key]) return true
  return false
}

/** The type with fields that can change, for a value that nobody else has yet. */
export type Mutable<Item> = { -readonly [Key in keyof Item]: Item[Key] }

/**
 * Returns an object with its fields in one order, and any other value as it is. Then the order in which a program wrote
 * the fields does not count.
 */
export function sortedFields(value: unknown): unknown {
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([left], [right]) => compareStrings(left, right)))
}

/** Returns a copy of the named fields. A field that is absent or undefined is absent from the copy. */
export function pickDefined<Item extends object, Name extends keyof Item>(
  item: Item,
  names: readonly Name[],
): Partial<Pick<Item, Name>>
export function pickDefined(item: Readonly<Record<string, unknown>>, names: readonly string[]): object {
  const copy: Record<string, unknown> = {}
  assignDefined(copy, item, names)
  return copy
}

/** Copies the named fields that are defined to another object, without an object in between. */
export function assignDefined<Name extends string, Fields extends Partial<Readonly<Record<Name, unknown>>>>(
  to: { -readonly [Key in keyof Fields]: Fields[Key] },
  item: Fields,
  names: readonly Name[],
): void {
  for (const name of names) if (item[name] !== undefined) to[name] = item[name]
}
