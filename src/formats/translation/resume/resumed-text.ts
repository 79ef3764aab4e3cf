/** The place that the deltas have reached in a text of a resumed state. Without either field, nothing shows the place. */
export interface ResumedPlace {
  /** The deltas that come again have built the text up to here, in UTF-16 units. */
  readonly position?: number | undefined
  /** The deltas since the resume, while they may be repeated ones. */
  readonly appended?: string | undefined
}

/** The effect of a delta on the text of a resumed state. */
interface ResumedDelta {
  /** The text that the state does not hold. */
  readonly delta: string
  /** The whole text, if the last deltas turned out to be repeated ones. */
  readonly content?: string
  /** The place after the delta, while more deltas may be repeated ones. */
  readonly place?: ResumedPlace
}

/** Returns what is new of a delta: repeated deltas build the text of a resumed state again. `content` is that text. */
export function addToResumed(place: ResumedPlace | undefined, content: string, delta: string): ResumedDelta {
  if (!place) return { delta }
  const { position, appended = '' } = place
  if (position === undefined) return addAtUnknownPlace(content, appended, delta)
  if (content.startsWith(delta, position)) return { delta: '', place: { position: position + delta.length } }
  const ahead = content.slice(position)
  return { delta: delta.startsWith(ahead) ? delta.slice(ahead.length) : delta }
}

/**
 * Adds a delta whose place in the text is not known. It counts as new, until the deltas so far begin with the end of the text: then
 * that beginning was repeated.
 */
function addAtUnknownPlace(content: string, before: string, delta: string): ResumedDelta {
  const appended = before + delta
  const longest = Math.min(appended.length, content.length)
  for (let length = longest; length > before.length && length >= LEAST_OVERLAP; length -= 1) {
    const repeated = appended.slice(0, length)
    if (content.endsWith(repeated) && isDistinctive(repeated))
      return { delta: '', content: content + appended.slice(length) }
  }
  return content.includes(appended) ? { delta, place: { appended } } : { delta }
}

/** The least overlap that counts as a repetition, in UTF-16 units. A shorter one may be chance. */
const LEAST_OVERLAP = 8

/** The least number of different characters of an overlap. A line of dashes may go on with the same dashes. */
const LEAST_VARIETY = 4

/** Whether the text is long and varied enough that the same words are a repetition. */
export function isDistinctive(repeated: string): boolean {
  return repeated.trim().length >= LEAST_OVERLAP && new Set(repeated).size >= LEAST_VARIETY
}
