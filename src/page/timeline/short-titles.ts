/** Fewer titles than this are shown as they are. */
const FEW = 3

/** Returns titles without the words that all of them begin with, such as `… POST /v1/keys`: the end says which agent it is. */
export function shortTitles(titles: readonly string[]): readonly string[] {
  const [first = '', ...others] = titles
  if (titles.length < FEW) return titles
  const words = first.split(/(?<=\s)/)
  let length = 0
  for (const word of words.slice(0, -1)) {
    const end = length + word.length
    if (!others.every((title) => title.startsWith(first.slice(0, end)) && title.length > end)) break
    length = end
  }
  return length === 0 ? titles : titles.map((title) => `… ${title.slice(length)}`)
}
