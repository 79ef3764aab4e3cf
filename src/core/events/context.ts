import { omitUndefined } from '../json/fields.ts'
import { asObject, isObject } from '../json/values.ts'
import type { EventContext, SessionEvent } from './event.ts'

/**
 * Returns the event with the fields of its `context` beside its other fields. A field beside wins, and `context`
 * keeps its unknown fields alone. An event without such a context is the result itself, and so is a value that is no
 * event.
 */
export function flatEvent(event: SessionEvent): SessionEvent {
  if (!isObject(asObject(event).context)) return event
  const { conversationId, timestamp, ...unknown }: EventContext = event.context ?? {}
  if (conversationId === undefined && timestamp === undefined) return event
  const { context: _, ...fields } = event
  return {
    ...fields,
    ...omitUndefined({
      conversationId: fields.conversationId ?? conversationId,
      timestamp: fields.timestamp ?? timestamp,
    }),
    ...(Object.keys(unknown).length > 0 ? { context: unknown } : undefined),
  }
}
