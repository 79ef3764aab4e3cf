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
