/** An item of two lists. One list may lack it. */
interface Aligned<Item> {
  readonly left: Item | undefined
  readonly right: Item | undefined
}

/**
 * Returns the items of two lists in order, with as many pairs of equal keys as there can be. Between two pairs, the
 * items of the left list come first where both ways have as many pairs.
 */
export function alignLists<Item>(
  left: readonly Item[],
  right: readonly Item[],
  keyOf: (item: Item) => string,
): readonly Aligned<Item>[] {
  const [keys, others] = [left.map(keyOf), right.map(keyOf)]
  const common = commonLengths(keys, others)
  const lengthAt = (at: number, other: number): number => common[at]?.[other] ?? 0
  const aligned: Aligned<Item>[] = []
  let [at, other] = [0, 0]
  while (at < left.length || other < right.length) {
    const hasBoth = at < left.length && other < right.length
    if (hasBoth && keys[at] === others[other]) aligned.push({ left: left[at++], right: right[other++] })
    else if (other >= right.length || (hasBoth && lengthAt(at + 1, other) >= lengthAt(at, other + 1)))
      aligned.push({ left: left[at++], right: undefined })
    else aligned.push({ left: undefined, right: right[other++] })
  }
  return aligned
}

/** The number of equal keys from each pair of places to the ends. */
function commonLengths(left: readonly string[], right: readonly string[]): readonly (readonly number[])[] {
  const lengths = Array.from({ length: left.length + 1 }, () => new Array<number>(right.length + 1).fill(0))
  for (let at = left.length - 1; at >= 0; at -= 1)
    for (let other = right.length - 1; other >= 0; other -= 1) {
      const [below, row] = [lengths[at + 1] ?? [], lengths[at] ?? []]
      const isCommon = left[at] === right[other]
      row[other] = isCommon ? (below[other + 1] ?? 0) + 1 : Math.max(below[other] ?? 0, row[other + 1] ?? 0)
    }
  return lengths
}
