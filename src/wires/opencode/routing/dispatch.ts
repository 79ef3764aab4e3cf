import { assertNever } from '../../../json/assert-never.ts'
import { asObject, type JsonObject } from '../../../json/values.ts'
import { programOfEvent } from '../../../programs/all.ts'
import { drain, type WorkQueue } from '../../../session/work-queue.ts'
import type { OpencodeContext } from '../context.ts'
import type { BusEvent } from '../events/event.ts'
import { IGNORED_TYPES } from '../events/ignored-types.ts'
import {
  bufferEvent,
  chooseMainOfBuffered,
  chooseWorkingMain,
  locateBufferedAsAgents,
  locatedSessionIds,
  releaseEvents,
} from './buffered-events.ts'
import { sessionIdOf } from './event-ids.ts'
import { chooseMainTree, locateSession, registerSession } from './session-location.ts'
import { type Translator, translatorOf } from './translators.ts'
import { provesWork } from './work.ts'

/** Translates an event, then all buffered events of sessions whose conversation it reveals. */
export function translateEvent(event: BusEvent, context: OpencodeContext): void {
  drain(dispatchEvent(event, context))
}

/**
 * Translates the events that are still buffered at the end of the input. If no main session is known, the first buffered
 * session names it. Each other session becomes a subagent without call.
 */
export function translateRemaining(context: OpencodeContext): void {
  chooseMainOfBuffered(context)
  context.revealAll()
  drain(releasedWork(context))
  locateBufferedAsAgents(context)
  drain(releasedWork(context))
}

/** Sends an event on its route. Returns the work that the event makes possible. */
function dispatchEvent(event: BusEvent, context: OpencodeContext): WorkQueue {
  if (revealsOrigin(event)) registerSession(sessionIdOf(event.properties), sessionInfo(event), context)
  if (isBeginning(event)) chooseMainTree(sessionIdOf(event.properties), context)
  takeRoute(event, context)
  return context.hasRevealed ? [() => releasedWork(context)] : NO_WORK
}

const NO_WORK: WorkQueue = []

function takeRoute(event: BusEvent, context: OpencodeContext): void {
  const { type } = event
  const translator = translatorOf(type)
  const program = programOfEvent('opencode', type)
  if (translator) translateInPlace(event, translator, context)
  else if (program !== undefined) context.updateFacts({ program })
  else if (!IGNORED_TYPES.has(type)) context.reportUnknown('unknown-message', type)
}

/** Translates an event in the conversation of its session, or keeps it until that conversation is known. */
function translateInPlace(event: BusEvent, translator: Translator, context: OpencodeContext): void {
  const sessionId = sessionIdOf(event.properties)
  const location = locateSession(sessionId, context.memory)
  switch (location.type) {
    case 'conversation':
      return translator(
        { sessionId, conversationId: location.conversationId, eventId: event.id },
        event,
        context,
      )
    case 'other-session':
      return context.reportUnknown('other-session', event.type)
    case 'unknown':
      bufferEvent(sessionId, event, context)
      return chooseMain(sessionId, event, context)
    default:
      return assertNever(location)
  }
}

/** Whether the event reports which session started its session, or that none did. */
function revealsOrigin({ type, isRoot }: BusEvent): boolean {
  return isRoot === true || type === 'session.created' || type === 'session.updated'
}

/** Returns a session's `info`. The `info` of a message has a parent too: the message that it answers. */
function sessionInfo({ type, properties }: BusEvent): JsonObject {
  return type.startsWith('session.') ? asObject(properties.info) : {}
}

/** Whether the input sees the session begin. Such a session is main although it does not work yet. */
function isBeginning({ type, isRoot }: BusEvent): boolean {
  return isRoot === true || type === 'session.created'
}

/** Chooses the main session if a buffered event names it. */
function chooseMain(sessionId: string, event: BusEvent, context: OpencodeContext): void {
  if (revealsOrigin(event) || provesWork(event)) chooseWorkingMain(sessionId, context)
}

/** Returns the work for the sessions whose place is now known. An event that reveals further places adds the work for those itself. */
function releasedWork(context: OpencodeContext): WorkQueue {
  return locatedSessionIds(context).map(
    (sessionId) => () =>
      releaseEvents(sessionId, context).map((event) => () => dispatchEvent(event, context)),
  )
}
