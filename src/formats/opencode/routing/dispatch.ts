import { assertNever } from '../../../json/assert-never.ts'
import { asObject, type JsonObject } from '../../../json/values.ts'
import { drain, type WorkQueue } from '../../translation/work-queue.ts'
import type { OpencodeContext } from '../context.ts'
import type { BusEvent } from '../events/event.ts'
import { rememberCurrentMessage } from '../known/session.ts'
import {
  bufferEvent,
  chooseMainOfBuffered,
  chooseWorkingMain,
  locateBufferedAsAgents,
  locatedSessionIds,
  releaseEvents,
} from './buffered-events.ts'
import { type IgnoreReason, messageIdOf, type Route, routeEvent, sessionIdOf } from './route.ts'
import { chooseMainTree, registerSession } from './session-location.ts'
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
  return context.hasRevealed ? [() => releasedWork(context)] : []
}

function takeRoute(event: BusEvent, context: OpencodeContext): void {
  const route = routeEvent(event, context.memory)
  switch (route.type) {
    case 'ignore':
      return reportIgnored(route.reason, event.type, context)
    case 'buffer':
      bufferEvent(route.sessionId, event, context)
      return chooseMain(route.sessionId, event, context)
    case 'translate':
      return translateOnRoute(event, route, context)
    default:
      return assertNever(route)
  }
}

function reportIgnored(reason: IgnoreReason, type: string, context: OpencodeContext): void {
  switch (reason) {
    case 'ignored-type':
      return
    case 'unknown-type':
      return context.reportUnknown('unknown-message', type)
    case 'other-session':
      return context.reportUnknown('other-session', type)
    default:
      return assertNever(reason)
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

function translateOnRoute(
  event: BusEvent,
  { place, translator }: Route & { readonly type: 'translate' },
  context: OpencodeContext,
): void {
  const { type, properties, isStored } = event
  if (type.startsWith('message.'))
    rememberCurrentMessage(place.sessionId, isStored ? undefined : messageIdOf(properties), context)
  translator(place, event, context)
}

/** Returns the work for the sessions whose place is now known. An event that reveals further places adds the work for those itself. */
function releasedWork(context: OpencodeContext): WorkQueue {
  return locatedSessionIds(context).map(
    (sessionId) => () =>
      releaseEvents(sessionId, context).map((event) => () => dispatchEvent(event, context)),
  )
}
