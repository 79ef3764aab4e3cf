import { asObject, assertNever, type JsonObject } from '../../../core/json/values.ts'
import { programOfEvent } from '../../../programs/all.ts'
import type { OpencodeContext } from '../context.ts'
import { type BusEvent, provesWork } from '../events/event.ts'
import { IGNORED_TYPES } from '../events/ignored-types.ts'
import { sessionIdOf } from '../place.ts'
import {
  bufferEvent,
  chooseMainOfBuffered,
  chooseWorkingMain,
  locateBufferedAsAgents,
  locatedSessionIds,
  releaseEvents,
} from './buffered-events.ts'
import { chooseMainTree, locateSession, registerSession } from './session-location.ts'
import { type Translator, translatorOf } from './translators.ts'

/** Translates an event, then all buffered events of sessions whose conversation it reveals. */
export function translateEvent(event: BusEvent, context: OpencodeContext): void {
  dispatchEvent(event, context)
  if (context.hasRevealed) releaseLocated(context)
}

/**
 * Translates the events that are still buffered at the end of the input. If no main session is known, the first buffered
 * session names it. Each other session becomes a subagent without call.
 */
export function translateRemaining(context: OpencodeContext): void {
  chooseMainOfBuffered(context)
  context.revealAll()
  releaseLocated(context)
  locateBufferedAsAgents(context)
  releaseLocated(context)
}

/**
 * Translates the buffered events of the sessions whose place is known now. An event may reveal further sessions, thousands in a row. Their events
 * come before those of the sessions that were found earlier.
 */
function releaseLocated(context: OpencodeContext): void {
  const steps: (BusEvent | { readonly sessionId: string })[] = []
  const push = () => {
    for (const sessionId of locatedSessionIds(context).toReversed()) steps.push({ sessionId })
  }
  push()
  for (let step = steps.pop(); step; step = steps.pop())
    if ('sessionId' in step)
      for (const event of releaseEvents(step.sessionId, context).toReversed()) steps.push(event)
    else {
      dispatchEvent(step, context)
      if (context.hasRevealed) push()
    }
}

/** Sends an event on its route. */
function dispatchEvent(event: BusEvent, context: OpencodeContext): void {
  if (revealsOrigin(event)) registerSession(sessionIdOf(event), sessionInfo(event), context)
  if (isBeginning(event)) chooseMainTree(sessionIdOf(event), context)
  const translator = translatorOf(event.type)
  if (translator) translateInPlace(event, translator, context)
  else ignoreEvent(event, context)
}

/** An event that adds nothing may still name the program, because only that one sends it. */
function ignoreEvent({ type }: BusEvent, context: OpencodeContext): void {
  const program = programOfEvent('opencode', type)
  if (program !== undefined) context.updateFacts({ program })
  else if (!IGNORED_TYPES.has(type)) context.reportUnknown('unknown-message', type)
}

/** Translates an event in the conversation of its session, or keeps it until that conversation is known. */
function translateInPlace(event: BusEvent, translator: Translator, context: OpencodeContext): void {
  const sessionId = sessionIdOf(event)
  const location = locateSession(sessionId, context)
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
      // Such an event may name the main session.
      if (revealsOrigin(event) || provesWork(event)) chooseWorkingMain(sessionId, context)
      return
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
