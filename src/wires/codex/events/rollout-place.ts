import { isString, type JsonObject } from '../../../json/values.ts'
import type { UserContentPart } from '../../../state/content.ts'
import type { CodexEvent } from './event.ts'

/** The thread and the time of a line of a rollout. */
export type RolloutPlace = Pick<CodexEvent, 'threadId' | 'time'>

/** Reads the payload of a line. Returns undefined for an unknown type. */
export type ReadPayload = (payload: JsonObject, place: RolloutPlace) => readonly CodexEvent[] | undefined

/** Returns the content of a message that is a text. */
export function textParts(text: unknown): readonly UserContentPart[] {
  return isString(text) ? [{ type: 'text', text }] : []
}
