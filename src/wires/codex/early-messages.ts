import type { JsonObject } from '../../json/values.ts'
import { unwrapLogLine } from '../../session/log-line.ts'
import type { CodexContext } from './context.ts'
import { readAppServerMessage } from './events/app-server.ts'
import type { CodexEvent } from './events/event.ts'
import { isChildTurn } from './threads.ts'
import { translateEvent } from './translate.ts'

// The app-server may send messages of a thread before the message that shows what the thread is: main that goes on as a fork, an agent, or another session.
// Such messages wait.

/** Buffers the message if it belongs to such a thread, and returns whether it does. */
export function bufferEarly(
  message: JsonObject,
  [event]: readonly CodexEvent[],
  context: CodexContext,
): boolean {
  if (!event || !isEarly(event, context)) return false
  context.buffer('earlyMessages', event.threadId ?? '', unwrapLogLine(message))
  return true
}

function isEarly(event: CodexEvent, context: CodexContext): boolean {
  const { threadId } = event
  if (threadId === undefined || context.facts.id === undefined || event.type === 'thread') return false
  if (event.type === 'unknown' || context.isKnownThread(threadId) || isChildTurn(event)) return false
  if (context.notes.earlyMessages.get(threadId) || isRootTurn(event)) return true
  // Neither shows work.
  if (event.type === 'usage' || event.type === 'turn-ended') return true
  // While a turn or an agent runs, the thread is that of a further agent. Agents of earlier versions do not name the turn that they work for.
  if (!isWorking(context)) return true
  // The state does not have threads of other sessions, and no session's thread begins with an item.
  return context.notes.isOpened === true && event.type !== 'turn-started'
}

/** A turn of a root thread works for no other turn. */
function isRootTurn(event: CodexEvent): boolean {
  return event.type === 'turn-started' && event.rootTurnId !== undefined && !isChildTurn(event)
}

function isWorking(context: CodexContext): boolean {
  const { status, openBlocks } = context.turn
  return status === 'running' || openBlocks !== undefined || context.openAgents().length > 0
}

/** Reads the messages of the threads that are known now. */
export function readEarly(context: CodexContext): void {
  const { earlyMessages } = context.notes
  if (earlyMessages.isEmpty) return
  for (const [id] of earlyMessages.entries()) {
    if (!context.isKnownThread(id)) continue
    for (const message of context.takeBuffered('earlyMessages', id))
      for (const event of readAppServerMessage(message) ?? []) translateEvent(event, context)
  }
}

/** Reports the messages of threads that no message has shown. They belong to other sessions. */
export function reportEarly(context: CodexContext): void {
  for (const [id] of context.notes.earlyMessages.entries())
    for (const message of context.takeBuffered('earlyMessages', id))
      for (const { type } of readAppServerMessage(message) ?? []) context.reportUnknown('other-session', type)
}
