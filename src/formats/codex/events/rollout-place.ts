import { isString, type JsonObject } from '../../../json/values.ts'
import type { UserContentPart } from '../../../state/content.ts'
import type { CodexEvent, CodexEventOf } from './event.ts'

/** The thread and the time of a line of a rollout. */
export type RolloutPlace = Pick<CodexEvent, 'threadId' | 'time'>

/** Reads the payload of a line. Returns undefined for an unknown type. */
export type ReadPayload = (payload: JsonObject, place: RolloutPlace) => readonly CodexEvent[] | undefined

/** Reports a part of a line whose type is unknown. */
export function unknownBlock(name: string, { threadId, time }: RolloutPlace): CodexEventOf<'unknown'> {
  return { type: 'unknown', threadId, time, code: 'unknown-block', name }
}

/** Returns the content of a message that is a text. */
export function textParts(text: unknown): readonly UserContentPart[] {
  return isString(text) ? [{ type: 'text', text }] : []
}
