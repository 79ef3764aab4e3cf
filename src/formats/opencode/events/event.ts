import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asObject, asString, isObject, type JsonObject } from '../../../json/values.ts'

/** An event of the program's bus. */
export interface BusEvent {
  readonly id?: string
  readonly type: string
  readonly properties: JsonObject
  /** It can only be of a session that nobody started. */
  readonly isRoot?: boolean
}

/** The parts that `opencode run --format json` prints when they are finished. */
const RUN_PARTS: ReadonlySet<unknown> = new Set([
  'step_start',
  'text',
  'reasoning',
  'tool_use',
  'step_finish',
])

/**
 * Reads an event of `GET /event`, one of `GET /global/event`, which wraps it, or a line of `opencode run --format json`,
 * which is a finished part or an error. Returns undefined for anything else.
 */
export function readEvent(message: JsonObject): BusEvent | undefined {
  const { type, properties, payload } = message
  return (
    runEvent(message) ??
    busEvent(typeof type === 'string' && isObject(properties) ? message : asObject(payload))
  )
}

function busEvent({ id, type, properties }: JsonObject): BusEvent | undefined {
  return typeof type === 'string'
    ? omitUndefined({ id: asString(id), type, properties: asObject(properties) })
    : undefined
}

/** `run` tells of the session that it started, and of no other. */
function runEvent({ type, sessionID, part, error }: JsonObject): BusEvent | undefined {
  if (typeof sessionID !== 'string') return undefined
  if (RUN_PARTS.has(type) && isObject(part))
    return { type: 'message.part.updated', properties: { sessionID, part }, isRoot: true }
  if (type !== 'error' || !isObject(error)) return undefined
  return { type: 'session.error', properties: { sessionID, error }, isRoot: true }
}
