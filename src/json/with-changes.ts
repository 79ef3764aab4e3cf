import { NO_FIELDS } from './values.ts'

/**
 * Returns a copy of an item with changed fields. V8 clones an object whose literal begins with its spread. A field that is new to the
 * clone gives each of them a hidden class of its own, and later work on it takes many times as long. A copy that begins with no fields
 * is no clone.
 */
export function withChanges<Item extends object>(
  item: Item,
  changes?: Partial<Item>,
): { -readonly [Name in keyof Item]: Item[Name] } {
  return { ...NO_FIELDS, ...item, ...changes }
}
