import { compareStrings } from '../../core/json/lists.ts'

const PREFIX = 'msg_'

/** Whether OpenCode made the message id before the other one. Its ids ascend. A client may send other ids, which prove nothing. */
export function isOlderId(id = '', other = ''): boolean {
  return other.startsWith(PREFIX) && id.startsWith(PREFIX) && compareStrings(id, other) < 0
}

/** The time in OpenCode's ids, as 12 hexadecimal digits. All kinds of ids have it. */
const TIMED_ID = /^[a-z]+_([0-9a-f]{12})/

/** Whether OpenCode made the event before the message, as the times in their ids say. Ids without a time prove nothing. */
export function isBefore(eventId: string | undefined, messageId: string | undefined): boolean {
  const [eventTime, messageTime] = [eventId, messageId].map((id) => TIMED_ID.exec(id ?? '')?.[1])
  return eventTime !== undefined && messageTime !== undefined && compareStrings(eventTime, messageTime) < 0
}
