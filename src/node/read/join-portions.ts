import { comparePlaces, type PlacedEntry } from '../../session/input/transcript-order.ts'

type Portions = AsyncIterator<readonly PlacedEntry[]>

/** A transcript that is not read to its end, with its last entry so far. */
interface OpenTranscript {
  readonly portions: Portions
  last?: PlacedEntry
}

/**
 * Joins the portions of several transcripts in the order of their entries' places. It always reads the transcript that is furthest behind,
 * so few entries wait in memory.
 */
export async function* joinPortions(
  transcripts: readonly Portions[],
): AsyncGenerator<readonly PlacedEntry[], void> {
  const open: OpenTranscript[] = transcripts.map((portions) => ({ portions }))
  const waiting: PlacedEntry[] = []
  for (let next = furthestBehind(open); next; next = furthestBehind(open)) {
    const { value: portion = [], done } = await next.portions.next()
    if (done) open.splice(open.indexOf(next), 1)
    for (const entry of portion) waiting.push(entry)
    next.last = portion.at(-1) ?? next.last
    const ready = takeReady(waiting, open)
    if (ready.length > 0) yield ready
  }
}

/** Returns the transcript whose next entry may come first. */
function furthestBehind(open: readonly OpenTranscript[]): OpenTranscript | undefined {
  return open.reduce<OpenTranscript | undefined>((first, each) => {
    if (!first?.last) return first ?? each
    return each.last && comparePlaces(each.last, first.last) >= 0 ? first : each
  }, undefined)
}

/** Takes the entries before which no other one can come. */
function takeReady(waiting: PlacedEntry[], open: readonly OpenTranscript[]): readonly PlacedEntry[] {
  const behind = furthestBehind(open)
  if (behind && !behind.last) return []
  waiting.sort(comparePlaces)
  const limit = behind?.last
  const end = limit ? waiting.findIndex((entry) => comparePlaces(entry, limit) > 0) : -1
  return waiting.splice(0, end < 0 ? waiting.length : end)
}
