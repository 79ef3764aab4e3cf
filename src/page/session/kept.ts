/** The place of a choice: for all pages of the server, or for this tab until it closes. */
type Place = 'localStorage' | 'sessionStorage'

/** Returns a choice of the reader that an earlier page kept. */
export function keptChoice(place: Place, name: string): string | undefined {
  return storageAt(place)?.getItem(PREFIX + name) ?? undefined
}

/** Keeps a choice, so that a page that is loaded again has it. A full storage keeps nothing. */
export function keepChoice(place: Place, name: string, value: string): void {
  try {
    storageAt(place)?.setItem(PREFIX + name, value)
  } catch {
    // The choice lasts as long as the page.
  }
}

const PREFIX = 'agentfold '

/** A browser refuses it to some pages, such as one in a frame of another site. */
function storageAt(place: Place): Storage | undefined {
  try {
    return window[place]
  } catch {
    return undefined
  }
}
