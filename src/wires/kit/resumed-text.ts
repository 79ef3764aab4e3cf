import { withChanges } from '../../core/json/fields.ts'
import type { VariantsOf } from '../../core/json/shape.ts'
import type { ConversationBlock } from '../../core/state/block.ts'
import type { SessionOutput } from '../../reading/context.ts'

/** The place that the deltas have reached in a text of a resumed state. */
export type ResumedPlace =
  /** The deltas that come again have built the text up to the position, in UTF-16 units. */
  | { readonly type: 'repeated'; readonly position: number }
  /** These deltas since the resume may be repeated ones. */
  | { readonly type: 'appended'; readonly deltas: string }

/** The saved form of a place. */
export const RESUMED_PLACE: VariantsOf<ResumedPlace> = {
  fields: {},
  byType: { repeated: { position: 'finite number' }, appended: { deltas: 'string' } },
}

/** Returns the place where repeated deltas have built the text up to the position. */
export function repeatedTo(position: number): ResumedPlace {
  return { type: 'repeated', position }
}

/** The place in a text of a state whose deltas may come again. */
export const NO_PLACE: ResumedPlace = { type: 'appended', deltas: '' }

/** The effect of a delta on the text of a resumed state. */
interface ResumedDelta {
  /** The text that the state does not hold. */
  readonly delta: string
  /** The whole text, if the last deltas turned out to be repeated ones. */
  readonly content?: string
  /** The place after the delta, while more deltas may be repeated ones. */
  readonly place?: ResumedPlace
}

/** Adds what is new of a delta to a text of a resumed state. Returns the place after it, as long as deltas may come again. */
export function extendResumed(
  block: ConversationBlock & { readonly content: string },
  { delta, place }: { readonly delta: string; readonly place: ResumedPlace },
  output: SessionOutput,
): ResumedPlace | undefined {
  const { conversationId, id: blockId } = block
  const { content: text }: { readonly content: string } = block
  const appended = place.type === 'appended' ? place.deltas.length : 0
  const added = addToResumed(text.slice(0, text.length - appended), { delta, place })
  const content = added.content ?? text + added.delta
  if (!content.startsWith(text)) output.upsert(conversationId, withChanges(block, { content }))
  else if (content !== text)
    output.emit({ type: 'block:delta', conversationId, blockId, delta: content.slice(text.length) })
  return added.place
}

/**
 * Returns what is new of a delta: repeated deltas build the text of a resumed state again. `content` is that text.
 * Without a place, nothing shows the place yet.
 */
export function addToResumed(
  content: string,
  { delta, place = NO_PLACE }: { readonly delta: string; readonly place: ResumedPlace | undefined },
): ResumedDelta {
  if (place.type === 'appended') return addAtUnknownPlace(content, place.deltas, delta)
  const { position } = place
  if (content.startsWith(delta, position)) return { delta: '', place: repeatedTo(position + delta.length) }
  const ahead = content.slice(position)
  return { delta: delta.startsWith(ahead) ? delta.slice(ahead.length) : delta }
}

/**
 * Adds a delta whose place in the text is not known. It counts as new, until the deltas so far begin with the end of
 * the text: then that beginning was repeated.
 */
function addAtUnknownPlace(content: string, before: string, delta: string): ResumedDelta {
  const appended = before + delta
  const longest = Math.min(appended.length, content.length)
  for (let length = longest; length > before.length && length >= LEAST_OVERLAP; length -= 1) {
    const repeated = appended.slice(0, length)
    if (content.endsWith(repeated) && isDistinctive(repeated))
      return { delta: '', content: content + appended.slice(length) }
  }
  return content.includes(appended) ? { delta, place: { type: 'appended', deltas: appended } } : { delta }
}

/** The least overlap that counts as a repetition, in UTF-16 units. A shorter one may be chance. */
const LEAST_OVERLAP = 8

/** The least number of different characters of an overlap. A line of dashes may go on with the same dashes. */
const LEAST_VARIETY = 4

/** Whether the text is long and varied enough that the same words are a repetition. */
export function isDistinctive(repeated: string): boolean {
  return repeated.trim().length >= LEAST_OVERLAP && new Set(repeated).size >= LEAST_VARIETY
}
