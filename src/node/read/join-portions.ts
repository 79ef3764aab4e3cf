import { comparePlaces, type EntryPlace, type PlacedEntry } from '../../reading/input/transcript-order.ts'

/** A transcript that is not read to its end, with the place of its last entry so far. */
interface OpenTranscript {
  readonly portions: AsyncIterator<readonly PlacedEntry[]>
  last?: EntryPlace | undefined
}

/**
 * Joins the portions of several transcripts in the order of their entries' places. It always reads the transcript
 * that is furthest behind, so few entries wait in memory.
 */
export async function* joinPortions(
  transcripts: readonly AsyncIterator<readonly PlacedEntry[]>[],
): AsyncGenerator<readonly PlacedEntry[], void> {
  const open: OpenTranscript[] = transcripts.map((portions) => ({ portions }))
  const waiting: PlacedEntry[] = []
  for (let next = furthestBehind(open); next; next = furthestBehind(open)) {
    const { value: portion = [], done } = await next.portions.next()
    if (done) open.splice(open.indexOf(next), 1)
    for (const entry of portion) waiting.push(entry)
    next.last = portion.at(-1)?.place ?? next.last
    const behind = furthestBehind(open)
    if (!behind || behind.last) yield takeUpTo(waiting, behind?.last)
  }
}

/** Returns the transcript whose next entry may come first. */
function furthestBehind(open: readonly OpenTranscript[]): OpenTranscript | undefined {
  const unread = open.find(({ last }) => !last)
  if (unread) return unread
  return open.reduce<OpenTranscript | undefined>(
    (first, each) => (first?.last && each.last && comparePlaces(first.last, each.last) <= 0 ? first : each),
    undefined,
  )
}

/** Takes the entries before which no other one can come. */
function takeUpTo(waiting: PlacedEntry[], limit: EntryPlace | undefined): readonly PlacedEntry[] {
  waiting.sort((left, right) => comparePlaces(left.place, right.place))
  const end = limit ? waiting.findIndex(({ place }) => comparePlaces(place, limit) > 0) : -1
  return waiting.splice(0, end < 0 ? waiting.length : end)
}
