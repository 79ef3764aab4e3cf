import { withChanges } from '../../../core/json/fields.ts'
import { asArray, asFiniteNumber, asObject, type JsonObject } from '../../../core/json/values.ts'
import { isStoredMessage, type SessionExport } from '../files/export.ts'
import type { BusEvent } from './event.ts'
import { withUniqueIds } from './unique-ids.ts'

/**
 * Returns the bus events that lead to an exported session. A pending revert comes last, because the reverted messages still
 * exist until the next prompt.
 */
export function eventsOfExport({ info, messages }: SessionExport): readonly BusEvent[] {
  const { revert, ...infoBeforeRevert } = info
  const conversation = withUniqueIds(messages).flatMap((message) => messageEvents(info.id, message))
  const start = sessionEvent(info.id, infoBeforeRevert)
  return revert === undefined
    ? [start, ...conversation]
    : [start, ...conversation, sessionEvent(info.id, info)]
}

/**
 * Returns the bus events that lead to a list of a session's messages. The list does not name the session's parent: `isRoot` says
 * that the session counts as one without.
 */
export function eventsOfMessages(messages: readonly unknown[], isRoot: boolean): readonly BusEvent[] {
  return withUniqueIds(messages.filter(isStoredMessage))
    .flatMap((message) => messageEvents(asObject(message.info).sessionID, message))
    .map((event) => (isRoot ? withChanges(event, { isRoot }) : event))
}

function sessionEvent(sessionID: unknown, info: JsonObject): BusEvent {
  return { type: 'session.updated', properties: { sessionID, info } }
}

/** The model makes all calls of a message first. Then their results follow in the order in which the tools finished. */
function messageEvents(sessionID: unknown, { info, parts: raw }: JsonObject): readonly BusEvent[] {
  const parts = asArray(raw).map(asObject)
  const results = parts.filter(hasResult).sort((left, right) => endTimeOf(left) - endTimeOf(right))
  return [
    messageEvent(sessionID, asStartedMessage(asObject(info))),
    ...parts.map((part) => partEvent(sessionID, hasResult(part) ? asRunningCall(part) : part)),
    ...results.map((part) => partEvent(sessionID, part)),
    messageEvent(sessionID, info),
  ]
}

function messageEvent(sessionID: unknown, info: unknown): BusEvent {
  return { type: 'message.updated', properties: { sessionID, info }, isStored: true }
}

function partEvent(sessionID: unknown, part: JsonObject): BusEvent {
  return { type: 'message.part.updated', properties: { sessionID, part }, isStored: true }
}

/** Returns a message's info as it was before the first part. */
function asStartedMessage({ error, finish, tokens, ...info }: JsonObject): JsonObject {
  return { ...info, time: { created: asObject(info.time).created } }
}

function hasResult({ type, state }: JsonObject): boolean {
  const { status } = asObject(state)
  return type === 'tool' && (status === 'completed' || status === 'error')
}

/** Returns a tool part as it was before the result. */
function asRunningCall(part: JsonObject): JsonObject {
  const { input, title, time, metadata } = asObject(part.state)
  const { output, ...metadataBefore } = asObject(metadata)
  const { start } = asObject(time)
  return { ...part, state: { status: 'running', input, title, metadata: metadataBefore, time: { start } } }
}

function endTimeOf({ state }: JsonObject): number {
  return asFiniteNumber(asObject(asObject(state).time).end) ?? 0
}
