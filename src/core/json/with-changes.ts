import type { Mutable } from './mutable.ts'
import { NO_FIELDS } from './values.ts'

/**
 * Returns a copy of an item with changed fields. V8 clones the first object that a literal spreads. If such a clone gets a new field, or is
 * frozen, V8 makes a hidden class for it alone. All code that reads it later is many times slower. So an object without fields comes first.
 * `Object.assign({}, …)` makes as good a copy, but a field `__proto__` would set its prototype.
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
