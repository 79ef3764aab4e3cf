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
 * Returns the item without the keys whose value is undefined, because an unknown field is absent. An item without such keys is the
 * result itself. It copies field by field, for the reason in `withChanges`.
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
