import type { KnownPart, ResumedText } from '../memory.ts'

interface ResumedStreamingPart extends KnownPart {
  readonly resumedText: ResumedText
}

/** Whether a partial text is the beginning of the text that a resumed state holds already. */
export function startsResumed(part: KnownPart | undefined, text: string): part is ResumedStreamingPart {
  const resumed = part?.resumedText
  return resumed?.appended === undefined && resumed?.block.content.startsWith(text) === true
}

/** The effect of a delta on the text of a resumed state. */
interface ResumedDelta {
  /** The text that the state does not hold. */
  readonly delta: string
  /** The whole text, if the last deltas turned out to be repeated ones. */
  readonly content?: string
  /** The facts for the next delta, while more of them may be repeated ones. */
  readonly resumedText?: ResumedText
}

/** Returns what is new of a delta: repeated events build the text of a resumed state again. */
export function addToResumed(resumed: ResumedText | undefined, delta: string): ResumedDelta {
  if (!resumed) return { delta }
  const { block, position } = resumed
  if (position === undefined) return addAtUnknownPlace(resumed, delta)
  const ahead = block.content.slice(position)
  if (ahead.startsWith(delta))
    return { delta: '', resumedText: { ...resumed, position: position + delta.length } }
  return { delta: delta.startsWith(ahead) ? delta.slice(ahead.length) : delta }
}

/** The least overlap that counts as a repetition, in UTF-16 units. A shorter one may be chance. */
const LEAST_OVERLAP = 8

/**
 * Adds a delta whose place in the text is not known. It counts as new, until the deltas so far begin with the end of the text: then
 * that beginning was repeated. The part's whole text arrives later and replaces any wrong guess.
 */
function addAtUnknownPlace(resumed: ResumedText, delta: string): ResumedDelta {
  const { content } = resumed.block
  const before = resumed.appended ?? ''
  const appended = before + delta
  const longest = Math.min(appended.length, content.length)
  for (let length = longest; length > before.length && length >= LEAST_OVERLAP; length -= 1) {
    const repeated = appended.slice(0, length)
    if (content.endsWith(repeated) && repeated.trim().length >= LEAST_OVERLAP)
      return { delta: '', content: content + appended.slice(length) }
  }
  return appended.length < content.length ? { delta, resumedText: { ...resumed, appended } } : { delta }
}
