import { isObject, type JsonObject } from '../../core/json/values.ts'
import { type InputEnd, typeName } from '../../reading/context.ts'
import { defineSource } from '../../reading/define-source.ts'
import { ANY_AGENT } from '../../reading/lost-prompt.ts'
import type { Source } from '../../reading/source.ts'
import { spawnUnlinkedAgents } from './agents/unlinked-agents.ts'
import { OpencodeContext } from './context.ts'
import { type BusEvent, readEvent, readRepeatedEvent } from './events/event.ts'
import { eventsOfExport, eventsOfMessages } from './events/export-events.ts'
import { isExport, isMessageList, isStoredMessage } from './files/export.ts'
import { NOTES } from './notes.ts'
import { open } from './open.ts'
import { translateEvent, translateRemaining } from './routing/dispatch.ts'
import { mainSession } from './sessions.ts'

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
  notes: NOTES,
  begin: (session) => new OpencodeContext(session),
  translate,
  onBrokenLine: (_, context) => {
    context.remember({ isAfterBrokenLine: true })
    context.noteBrokenStart(ANY_AGENT)
  },
  end,
  open,
})

function translate(message: unknown, context: OpencodeContext): void {
  const read = context.read(message)
  const event = isObject(read) ? eventOf(read, context) : undefined
  if (context.notes.isAfterBrokenLine) context.remember({ isAfterBrokenLine: undefined })
  if (!event) return translateStored(read, context)
  translateEvent(event, context)
  if (event.isRoot) context.endAnsweredTurn()
}

/** A broken line may be the event that this line repeats. */
function eventOf(message: JsonObject, context: OpencodeContext): BusEvent | undefined {
  const repeated = context.notes.isAfterBrokenLine ? readRepeatedEvent(message) : undefined
  return repeated ?? readEvent(message)
}

/** Translates an export or messages of one. Only the bus reports that a session is idle. */
function translateStored(read: unknown, context: OpencodeContext): void {
  const events = readStored(read, context)
  for (const event of events) translateEvent(event, context)
  if (events.some(({ isStored }) => isStored)) context.endAnsweredTurn()
}

function readStored(read: unknown, context: OpencodeContext): readonly BusEvent[] {
  if (isExport(read)) return eventsOfExport(read)
  const messages = isStoredMessage(read) ? [read] : read
  if (isMessageList(messages)) return eventsOfMessages(messages, isMainOpen(messages, context))
  context.reportUnknown('unknown-message', isObject(read) ? typeName(read.type) : 'no object')
  return []
}

/** Whether a list of messages may be main: no session is yet, or the list's own one. */
function isMainOpen(messages: readonly unknown[], context: OpencodeContext): boolean {
  const mainId = mainSession(context)
  return mainId === undefined || mainId === messages.find(isStoredMessage)?.info.sessionID
}

function end(context: OpencodeContext): InputEnd {
  translateRemaining(context)
  return context.endInput({ unplaced: spawnUnlinkedAgents(context) })
}
