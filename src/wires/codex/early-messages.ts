import { isString, type JsonObject } from '../../core/json/values.ts'
import { unwrapLogLine } from '../kit/log-line.ts'
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

/** Reads the early messages of the threads that the message has shown. A message shows only threads that it names. */
export function readEarly(message: JsonObject, context: CodexContext): void {
  const { earlyMessages } = context.notes
  if (earlyMessages.isEmpty) return
  const named = textsIn(message)
  for (const id of named) {
    if (!context.notes.earlyMessages.get(id) || !context.isKnownThread(id)) continue
    for (const early of context.takeBuffered('earlyMessages', id)) {
      for (const event of readAppServerMessage(early) ?? []) translateEvent(event, context)
      for (const text of textsIn(early)) named.push(text)
    }
  }
}

/** Returns the texts in a message. */
function textsIn(message: JsonObject): string[] {
  const parts = new Set<unknown>([message])
  for (const part of parts)
    if (typeof part === 'object') for (const each of Object.values(part ?? {})) parts.add(each)
  return [...parts].filter(isString)
}

/** Reports the messages of threads that no message has shown. They belong to other sessions. */
export function reportEarly(context: CodexContext): void {
  for (const [id] of context.notes.earlyMessages.entries())
    for (const message of context.takeBuffered('earlyMessages', id))
      for (const { type } of readAppServerMessage(message) ?? []) context.reportUnknown('other-session', type)
}
