import { isObject, type JsonObject, text } from '../../state/json.ts'
import { known } from '../../state/known.ts'

/** An event of the program's bus. */
export interface BusEvent {
  readonly id?: string
  readonly type: string
  readonly properties: JsonObject
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
  const { payload, type, properties, part, sessionID, error } = message
  if (isObject(payload)) return readEvent(payload)
  if (typeof type !== 'string') return undefined
  if (isObject(properties)) return known({ id: text(message.id), type, properties })
  if (typeof sessionID !== 'string') return undefined
  if (RUN_PARTS.has(type) && isObject(part))
    return { type: 'message.part.updated', properties: { sessionID, part } }
  return type === 'error' ? { type: 'session.error', properties: { sessionID, error } } : undefined
}
