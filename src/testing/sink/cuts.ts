/** A batch of a log: the indexes of its first event and of the event after its last. */
export interface Cut {
  readonly from: number
  readonly to: number
}

/** The greatest numbers of events in a batch. The batches of one way have 1 to so many events, in a fixed order that looks random. */
const SIZES = [2, 7, 40]

/** Returns ways to cut a log into batches: each event alone, all at once, and batches of many sizes. Each way begins with an empty batch. */
export function waysToCut(length: number): readonly (readonly Cut[])[] {
  return [
    cutsOf(length, () => 1),
    cutsOf(length, () => length),
    ...SIZES.map((size) => cutsOf(length, (from) => 1 + ((from * 7919 + size * 104729) % size))),
  ]
}

function cutsOf(length: number, sizeAt: (from: number) => number): readonly Cut[] {
  const cuts: Cut[] = [{ from: 0, to: 0 }]
  for (let from = 0; from < length; ) {
    const to = Math.min(from + sizeAt(from), length)
    cuts.push({ from, to })
    from = to
  }
  return cuts
}
