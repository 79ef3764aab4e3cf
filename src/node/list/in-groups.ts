/** Files that are read at the same time. */
export const GROUP = 32

/** Returns the results of the work on each item, in the order of the items. */
export async function inGroups<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = []
  for (let from = 0; from < items.length; from += GROUP)
    results.push(...(await Promise.all(items.slice(from, from + GROUP).map(work))))
  return results
}
