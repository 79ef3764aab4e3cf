import { compareStrings } from '../../core/json/lists.ts'
import { asObject, isObject, type JsonObject } from '../../core/json/values.ts'

/** An event of OpenCode's bus. */
export interface BusEvent {
  readonly id?: string
  readonly type: string
  readonly properties: JsonObject
  /** The event comes from an export or a list of messages, not from the bus. */
  readonly isStored?: boolean
  /** The event belongs to a session without a parent. */
  readonly isRoot?: boolean
}

/** The types of finished parts in the output of `opencode run --format json`. */
const RUN_PART_TYPES: ReadonlySet<unknown> = new Set([
  'step_start',
  'text',
  'reasoning',
  'tool_use',
  'step_finish',
])

/**
 * Reads a message as a bus event, or returns undefined. The message has one of these forms:
 * - an event of `GET /event`
 * - an event of `GET /global/event`, which wraps it in `payload`
 * - a line of `opencode run --format json`, which holds a finished part or an error
 */
export function readEvent(message: JsonObject): BusEvent | undefined {
  const { type, properties, payload, syncEvent } = message
  if (type === 'sync' && isObject(syncEvent)) return { type, properties: {} }
  if (typeof type === 'string')
    return readRunLine(message) ?? (isObject(properties) ? readBusEvent(message) : undefined)
  // A line of Codex has a type beside its payload. The wrapper of an event has none.
  return type === undefined && isObject(payload) ? readBusEvent(payload) : undefined
}

/** The families of events that name a session. */
const FAMILIES = /^(?:command|file|message|permission|question|session|todo)\.\w/

/** Whether only OpenCode's bus has the message: a type of one of its families, and a session. Any program may have `properties`. */
export function isProof(message: JsonObject): boolean {
  const event = message.type === 'sync' ? readRepeatedEvent(message) : readEvent(message)
  if (!event || !FAMILIES.test(event.type)) return false
  const { sessionID, info, part } = event.properties
  // `opencode run` names the session of each part too.
  if (event.isRoot && part !== undefined) return typeof asObject(part).type === 'string'
  const { id, sessionID: ofInfo } = asObject(info)
  return [sessionID, id, ofInfo, asObject(part).sessionID].some((each) => typeof each === 'string')
}

/** Reads the event that a line of Kilo repeats: each stored change stands in such a line too, after its event. */
export function readRepeatedEvent({ type, syncEvent }: JsonObject): BusEvent | undefined {
  const { id, type: name, data } = asObject(syncEvent)
  if (type !== 'sync' || typeof name !== 'string') return undefined
  return readBusEvent({ id, type: name.replace(/\.\d+$/, ''), properties: data })
}

function readBusEvent({ id, type, properties: raw }: JsonObject): BusEvent | undefined {
  if (typeof type !== 'string') return undefined
  const properties = asObject(raw)
  return typeof id === 'string' ? { id, type, properties } : { type, properties }
}

/** `opencode run` prints only the session that it started itself, never a subagent's. */
function readRunLine({ type, sessionID, part, error }: JsonObject): BusEvent | undefined {
  if (typeof sessionID !== 'string') return undefined
  if (RUN_PART_TYPES.has(type) && isObject(part))
    return { type: 'message.part.updated', properties: { sessionID, part }, isRoot: true }
  if (type !== 'error' || !isObject(error)) return undefined
  return { type: 'session.error', properties: { sessionID, error }, isRoot: true }
}

/** Whether the event proves that its session works. Idle sessions of the same server report only their own facts. */
export function provesWork({ type, properties }: BusEvent): boolean {
  if (type === 'session.status') return BUSY_STATUSES.has(asObject(properties.status).type)
  return WORK_TYPES.has(type)
}

/** The statuses of a session that works. */
export const BUSY_STATUSES: ReadonlySet<unknown> = new Set(['busy', 'retry'])

const WORK_TYPES: ReadonlySet<string> = new Set([
  'message.updated',
  'message.part.updated',
  'message.part.delta',
  'permission.asked',
  'permission.updated',
  'question.asked',
])

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
