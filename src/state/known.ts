type MaybeUndefined<Value> = unknown extends Value ? false : undefined extends Value ? true : false

/** The item with its keys that may be undefined made optional. */
export type Known<Item> = Item extends unknown
  ? { [Key in keyof Item as MaybeUndefined<Item[Key]> extends true ? never : Key]: Item[Key] } & {
      [Key in keyof Item as MaybeUndefined<Item[Key]> extends true ? Key : never]?: Exclude<
        Item[Key],
        undefined
      >
    }
  : never

/** Returns a fresh object without the keys whose value is undefined: what is not known is absent. Itself if there are none. */
export function known<Item extends object>(item: Item): Known<Item>
export function known(item: Fields): object {
  for (const key in item) if (item[key] === undefined) return withoutUndefined(item)
  return item
}

type Fields = Readonly<Record<string, unknown>>

function withoutUndefined(item: Fields): object {
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(item)) {
    const value = item[key]
    if (value === undefined) continue
    // Assigned, that key would be the prototype; the others need no more, and are many.
    if (key === '__proto__') Object.defineProperty(copy, key, { ...DATA, value })
    else copy[key] = value
  }
  return copy
}

const DATA = { configurable: true, enumerable: true, writable: true }
