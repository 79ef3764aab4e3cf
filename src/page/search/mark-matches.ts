/** The name of the marks in the style sheet. */
const NAME = 'search'

/** Marks the text in the rows in view, and keeps it marked while rows appear. Returns a function that removes the marks. */
export function markMatches(query: string): () => void {
  const wanted = query.trim().toLowerCase()
  const root = document.querySelector('.rows')
  if (wanted === '' || !root || !CSS.highlights) return () => {}
  const mark = (): void => {
    CSS.highlights.set(NAME, new Highlight(...rangesIn(root, wanted)))
  }
  mark()
  const observer = new MutationObserver(mark)
  observer.observe(root, { childList: true, subtree: true, characterData: true })
  return () => {
    observer.disconnect()
    CSS.highlights.delete(NAME)
  }
}

function rangesIn(root: Element, wanted: string): readonly Range[] {
  const ranges: Range[] = []
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node.nodeValue?.toLowerCase() ?? ''
    for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) {
      const range = new Range()
      range.setStart(node, at)
      range.setEnd(node, at + wanted.length)
      ranges.push(range)
    }
  }
  return ranges
}
