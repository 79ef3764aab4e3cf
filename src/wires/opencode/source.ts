import { withChanges } from '../../core/json/fields.ts'
import {
  asArray,
  asFiniteNumber,
  asObject,
  asString,
  isObject,
  type JsonObject,
} from '../../core/json/values.ts'
import { ANY_AGENT, type InputEnd, type Memory, typeName } from '../../reading/context.ts'
import { defineSource } from '../../reading/define-source.ts'
import type { Source } from '../../reading/source.ts'
import { spawnUnlinkedAgents } from './agents/task.ts'
import { OpencodeContext } from './context.ts'
import { type BusEvent, readEvent, readRepeatedEvent } from './event.ts'
import { isExport, isMessageList, isStoredMessage, type SessionExport } from './files/export.ts'
import { opencodeRules } from './format.ts'
import { NOTES } from './notes.ts'
import { open } from './open.ts'
import { mainSession } from './place.ts'
import { translateEvent, translateRemaining } from './routing/dispatch.ts'

// A message takes these steps:
// - `files/` splits a text into messages
// - `events/` reads a message as bus events
// - `routing/` finds the conversation of an event, or buffers the event until the conversation is known
// - `blocks/`, `requests/` and `agents/` translate the event into session events

/**
 * Reads four forms of an OpenCode session:
 * - events of its bus (`GET /event`), which include the sessions of subagents
 * - the output of `opencode export`, one object a session
 * - the answer of `GET /session/:id/message`, a list of one session's messages. The first list is main.
 * - lines of `opencode run --format json`
 */
export const opencodeSource: Source = /* @__PURE__ */ defineSource({
  transcripts: opencodeRules,
  notes: NOTES,
  begin: (session) => new OpencodeContext(session),
  translate,
  onBrokenLine: (_, context) => {
    context.notes.remember({ isAfterBrokenLine: true })
    context.noteBrokenStart(ANY_AGENT)
  },
  end,
  open,
})

function translate(message: unknown, context: OpencodeContext): void {
  const read = context.read(message)
  const event = isObject(read) ? eventOf(read, context.notes.values) : undefined
  if (context.notes.values.isAfterBrokenLine) context.notes.remember({ isAfterBrokenLine: undefined })
  if (!event) return translateStored(read, context)
  translateEvent(event, context)
  if (event.isRoot) context.turn.endAnswered()
}

/** A broken line may be the event that this line repeats. */
function eventOf(message: JsonObject, notes: OpencodeContext['notes']['values']): BusEvent | undefined {
  const repeated = notes.isAfterBrokenLine ? readRepeatedEvent(message) : undefined
  return repeated ?? readEvent(message)
}

/** Translates an export or messages of one. Only the bus reports that a session is idle. */
function translateStored(read: unknown, context: OpencodeContext): void {
  const events = readStored(read, context)
  for (const event of events) translateEvent(event, context)
  if (events.some(({ isStored }) => isStored)) context.turn.endAnswered()
}

function readStored(read: unknown, context: OpencodeContext): readonly BusEvent[] {
  if (isExport(read)) return eventsOfExport(read)
  const messages = isStoredMessage(read) ? [read] : read
  if (isMessageList(messages)) return eventsOfMessages(messages, isMainOpen(messages, context))
  context.reportUnknown('unknown-message', isObject(read) ? typeName(read.type) : 'no object')
  return []
}

/** Whether a list of messages may be main: no session is yet, or the list's own one. */
function isMainOpen(messages: readonly unknown[], memory: Memory<OpencodeContext>): boolean {
  const mainId = mainSession(memory)
  return mainId === undefined || mainId === messages.find(isStoredMessage)?.info.sessionID
}

function end(context: OpencodeContext): InputEnd {
  translateRemaining(context)
  return context.endInput({ unplaced: spawnUnlinkedAgents(context) })
}

/**
 * Returns the bus events that lead to an exported session. A pending revert comes last, because the reverted messages
 * still exist until the next prompt.
 */
function eventsOfExport({ info, messages }: SessionExport): readonly BusEvent[] {
  const { revert, ...infoBeforeRevert } = info
  const conversation = withUniqueIds(messages).flatMap((message) => messageEvents(info.id, message))
  const start = sessionEvent(info.id, infoBeforeRevert)
  return revert === undefined
    ? [start, ...conversation]
    : [start, ...conversation, sessionEvent(info.id, info)]
}

/**
 * Returns the bus events that lead to a list of a session's messages. The list does not name the session's parent:
 * `isRoot` says that the session counts as one without.
 */
function eventsOfMessages(messages: readonly unknown[], isRoot: boolean): readonly BusEvent[] {
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

/**
 * Returns the stored messages of a session with ids of messages and parts that occur once. OpenCode's own ids do, but
 * a tool that hides secrets may write one word for many ids. The second message or part with an id gets `<id>:2`, and
 * so on. A call id that a message or part has too is left out, because blocks have these ids.
 */
function withUniqueIds(messages: readonly unknown[]): readonly JsonObject[] {
  const ids = new UniqueIds()
  const renamed = messages.map(asObject).map((message) => {
    const info = withUniqueId(asObject(message.info), ids)
    const parts = asArray(message.parts).map((part) => {
      const unique = withUniqueId(asObject(part), ids)
      return unique.messageID === info.id ? unique : { ...unique, messageID: info.id }
    })
    return { ...message, info, parts }
  })
  return renamed.map((message) => ({
    ...message,
    parts: message.parts.map((part) => withoutEqualCallId(part, ids)),
  }))
}

function withoutEqualCallId(part: JsonObject, ids: UniqueIds): JsonObject {
  const { callID, ...others } = part
  return ids.has(asString(callID)) ? others : part
}

function withUniqueId(item: JsonObject, ids: UniqueIds): JsonObject {
  const id = asString(item.id)
  const unique = id === undefined ? undefined : ids.claim(id)
  return unique === id ? item : { ...item, id: unique }
}

class UniqueIds {
  readonly #counts = new Map<string, number>()

  /** Returns the id when it occurs first, and the id with its number later. */
  claim(id: string): string {
    const count = (this.#counts.get(id) ?? 0) + 1
    this.#counts.set(id, count)
    if (count === 1) return id
    const numbered = `${id}:${count}`
    return this.#counts.has(numbered) ? this.claim(id) : this.claim(numbered)
  }

  has(id: string | undefined): boolean {
    return id !== undefined && this.#counts.has(id)
  }
}
