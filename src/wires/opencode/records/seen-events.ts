import { PersistentMap } from '../../../session/notes/persistent-map.ts'
import type { OpencodeContext } from '../context.ts'
import type { KnownPart } from '../memory.ts'

/** Whether the event is one of those that built the streaming part. A reconnected client receives it again. */
export function isRepeatedEvent(part: KnownPart | undefined, eventId: string | undefined): boolean {
  return eventId !== undefined && part?.seenEventIds?.get(eventId) !== undefined
}

/** Returns the events that built the part, with one more. */
export function withSeenEvent(
  part: KnownPart | undefined,
  eventId: string | undefined,
  context: OpencodeContext,
): PersistentMap<string> {
  const seenEventIds = part?.seenEventIds ?? context.open(new PersistentMap<string>())
  const isSeen = eventId === undefined || seenEventIds.get(eventId) !== undefined
  return isSeen ? seenEventIds : context.open(seenEventIds.with(eventId, eventId))
}
