/** A place or a command that a person can choose by its words. */
export interface PaletteItem {
  /** Its kind, such as `Agent`. */
  readonly kind: string
  readonly text: string
  /** More facts that the person knows, such as its folder. */
  readonly hint?: string | undefined
  readonly run: () => void
}

/** Returns the items that have all words. Those whose text begins with them are first. Without words, these are all items. */
export function matchingItems(items: readonly PaletteItem[], query: string): readonly PaletteItem[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return items
  return items
    .map((item) => ({ item, distance: distanceOf(item, words) }))
    .filter(({ distance }) => Number.isFinite(distance))
    .sort((left, right) => left.distance - right.distance)
    .map(({ item }) => item)
}

function distanceOf({ kind, text, hint = '' }: PaletteItem, words: readonly string[]): number {
  const own = text.toLowerCase()
  const others = `${kind}\n${hint}`.toLowerCase()
  return words.reduce((sum, word) => sum + wordDistance(word, own, others), 0)
}

/** Nearest is the start of the text, and then the start of a word. Infinite if neither text has the word. */
function wordDistance(word: string, text: string, others: string): number {
  const at = text.indexOf(word)
  if (at === 0) return 0
  if (at > 0) return /[\p{L}\p{N}]/u.test(text.charAt(at - 1)) ? 2 : 1
  return others.includes(word) ? 3 : Number.POSITIVE_INFINITY
}
