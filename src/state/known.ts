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
export function known(item: object): object {
  for (const key in item)
    if (Reflect.get(item, key) === undefined)
      // Entries, not assignment: `__proto__` is a key like others.
      return Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined))
  return item
}
