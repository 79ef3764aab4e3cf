import { asArray, asFiniteNumber, asObject, isObject, type JsonObject } from '../../../json/values.ts'
import type { BusEvent } from '../events/event.ts'

/** What `opencode export` writes: a session and its messages. */
export interface SessionExport {
  readonly info: JsonObject
  readonly messages: readonly unknown[]
}

/** Whether the value is one session's export. */
export function isExport(value: unknown): value is SessionExport {
  return isObject(value) && isObject(value.info) && Array.isArray(value.messages)
}

/**
 * The events that lead to an export. A session may have been reverted and not gone on yet, which is said last: what it
 * takes back is there until then.
 */
export function exportEvents({ info, messages }: SessionExport): readonly BusEvent[] {
  const { revert, ...session } = info
  const begin = { type: 'session.updated', properties: { sessionID: info.id, info: session } }
  const end = { type: 'session.updated', properties: { sessionID: info.id, info } }
  const said = messages.flatMap((message) => messageEvents(message, info.id))
  return [begin, ...said, ...(revert === undefined ? [] : [end])]
}

/** Tools answer after the model has called them all, in the order in which they finished. */
function messageEvents(message: unknown, sessionID: unknown): readonly BusEvent[] {
  const { info, parts } = asObject(message)
  const whole = asArray(parts).map(asObject)
  const answered = whole
    .filter(isAnswered)
    .sort((left, right) => endOf(left) - endOf(right))
    .map((part) => partEvent(sessionID, part))
  const said = whole.map((part) => partEvent(sessionID, isAnswered(part) ? asCalled(part) : part))
  const updated = (news: unknown) => ({ type: 'message.updated', properties: { sessionID, info: news } })
  return [updated(asBegun(asObject(info))), ...said, ...answered, updated(info)]
}

/** The message as it stood before its parts came. */
function asBegun({ error, finish, tokens, ...info }: JsonObject): JsonObject {
  return { ...info, time: { created: asObject(info.time).created } }
}

function partEvent(sessionID: unknown, part: JsonObject): BusEvent {
  return { type: 'message.part.updated', properties: { sessionID, part } }
}

function isAnswered({ type, state }: JsonObject): boolean {
  const { status } = asObject(state)
  return type === 'tool' && (status === 'completed' || status === 'error')
}

/** The call as it stood before the answer came. */
function asCalled(part: JsonObject): JsonObject {
  const { input, title, time, metadata } = asObject(part.state)
  const { output, ...before } = asObject(metadata)
  return {
    ...part,
    state: { status: 'running', input, title, metadata: before, time: { start: asObject(time).start } },
  }
}

function endOf({ state }: JsonObject): number {
  return asFiniteNumber(asObject(asObject(state).time).end) ?? 0
}
