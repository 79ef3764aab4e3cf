/** Returns a copy of the named fields. A field that is absent or undefined is absent from the copy. */
export function pickDefined<Item extends object, Name extends keyof Item>(
  item: Item,
  names: readonly Name[],
): Partial<Pick<Item, Name>>
export function pickDefined(item: Readonly<Record<string, unknown>>, names: readonly string[]): object {
  const copy: Record<string, unknown> = {}
  for (const name of names) {
    const value = item[name]
    if (value !== undefined) copy[name] = value
  }
  return copy
}
