import { compositeKey } from '../../../json/composite-key.ts'
import { isEqual } from '../../../json/equal.ts'
import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asObject, asString, type JsonObject } from '../../../json/values.ts'
import { isoTime } from '../../../session/time.ts'
import type { ConversationBlock } from '../../../state/block.ts'
import type { UserContentPart } from '../../../state/content.ts'
import type { OpencodeContext } from '../context.ts'
import type { KnownPart, ResumedPart, ResumedText } from '../memory.ts'
import type { MessageRef, PartUpdate } from '../routing/event-place.ts'
import { findMessage, findPart, knownMessage, newMessage, rememberPart } from './message.ts'

/** Remembers a part of a resumed state whose message the state does not name. */
export function rememberResumedPart(sessionId: string, resumed: ResumedPart, context: OpencodeContext): void {
  context.setEntry('resumedParts', compositeKey(sessionId, resumed.part.id), resumed)
}

/** Returns the part of a user message, written by the program, that a block shows. */
export function userPart({ id, timestamp }: ConversationBlock): ResumedPart {
  return {
    part: { id, blockIds: [id] },
    message: omitUndefined({ isUser: true, isSummary: false, timestamp }),
  }
}

/** Adds a part of a resumed state to its message, which the part's first event since then names. */
export function adoptResumedPart(ref: MessageRef, partId: string, context: OpencodeContext): void {
  const { resumedParts } = context.memory
  if (resumedParts.isEmpty) return
  const key = compositeKey(ref.sessionId, partId)
  const resumed = resumedParts.get(key)
  if (!resumed) return
  context.removeEntry('resumedParts', key)
  if (!findMessage(ref, context)) context.setMessage(ref, { ...newMessage(ref.messageId), isReported: true })
  Object.assign(context.ownMessage(ref), resumed.message)
  rememberPart(ref, resumed.part, context)
}

/** Gives the call of a resumed state, which is known by its call id, the id of its part. Some models use a call id twice. */
export function claimCall(ref: MessageRef, { part, id }: PartUpdate, context: OpencodeContext): void {
  const callId = asString(part.callID)
  if (callId === undefined || findPart(ref, id, context)) return
  const placeholder = findPart(ref, callId, context)
  if (placeholder?.isPlaceholder !== true || !isSameStart(placeholder, part)) return
  replacePlaceholder(ref, placeholder, id, context)
  for (const scope of [ref.sessionId, WHOLE_INPUT]) {
    const { partIdByCall } = context.memory
    const key = compositeKey(scope, callId)
    if (partIdByCall.get(key) === callId) context.setEntry('partIdByCall', key, id)
  }
}

/**
 * Whether the first update of a call repeats a call that the resumed state shows as final. Such an update has no time, so the next one
 * tells whether it is a second call with the same id.
 */
export function mayRepeatCall(ref: MessageRef, { part }: PartUpdate, context: OpencodeContext): boolean {
  const placeholder = findPart(ref, asString(part.callID) ?? '', context)
  return placeholder?.isPlaceholder === true && placeholder.isFinal === true && startOf(part) === undefined
}

function isSameStart({ timestamp }: KnownPart, part: JsonObject): boolean {
  const start = startOf(part)
  return start === undefined || timestamp === undefined || start === timestamp
}

function startOf({ state }: JsonObject): string | undefined {
  return isoTime(asObject(asObject(state).time).start)
}

/** The scope of a subagent's call id. The id is the subagent's key, so it is unique in the whole input. */
export const WHOLE_INPUT = ''

/** Takes the place of an equal content of a resumed user message. Returns the id that sorts it, or undefined if there is none. */
export function claimContent(
  ref: MessageRef,
  content: UserContentPart,
  context: OpencodeContext,
): string | undefined {
  const placeholder = knownMessage(ref, context)
    .parts.values()
    .find((part) => part.isPlaceholder === true && isEqual(part.content, content))
  if (!placeholder) return undefined
  const message = context.ownMessage(ref)
  message.parts = message.parts.without(placeholder.id)
  return placeholder.id
}

function replacePlaceholder(
  ref: MessageRef,
  { isPlaceholder, ...placeholder }: KnownPart,
  id: string,
  context: OpencodeContext,
): void {
  const message = context.ownMessage(ref)
  message.parts = message.parts.without(placeholder.id).with(id, { ...placeholder, id })
}

interface ResumedStreamingPart extends KnownPart {
  readonly resumedText: ResumedText
}

/** Whether a partial text is the beginning of the text that a resumed state holds already. */
export function startsResumed(part: KnownPart | undefined, text: string): part is ResumedStreamingPart {
  const resumed = part?.resumedText
  return resumed?.place?.type !== 'appended' && resumed?.block.content.startsWith(text) === true
}
