import {
  type Conversation,
  type ConversationMessage,
  type ConversationSettings,
  newConversation,
} from './conversation.ts'
import { withEnded, withoutOldest } from './ended.ts'
import type { ConversationLog } from './log.ts'
import { readMessage } from './message.ts'
import { later, momentOf, timeOf } from './time.ts'

/** What became of a log. */
export interface AppendedMessage {
  readonly log: ConversationLog
  /** The conversation that has ended, before the message or with it; it waits for its summary. */
  readonly ended: Conversation | null
  /** The conversations that are no longer retained, the oldest first. */
  readonly dropped: readonly Conversation[]
}

const IDLE_TIMEOUT_MINUTES = 30
const MAX_RETAINED = 1000
const MINUTE = 60_000

/**
 * Adds a message to the active conversation. It begins a new one, silently, where none is active, or where it comes later
 * than the idle timeout after the last one; exactly the timeout still belongs. A message that is older than the last one
 * belongs too, so messages keep the order in which they came. Throws a `TypeError` for what is no message, or has fields
 * nested deeper than 256 levels, and a `RangeError` for a time that is none, or settings out of range.
 */
export function appendMessage(
  log: ConversationLog,
  message: ConversationMessage,
  settings: ConversationSettings = {},
): AppendedMessage {
  const { idleTimeout, maxRetained } = checked(settings)
  const added = checkedMessage(message)
  const before = isOver(log, added, idleTimeout) ? endActive(log) : { log, ended: null }
  const { active } = before.log
  const open = active ? continued(before.log, active, added) : begun(before.log, added)
  // The agent's reply to its own call is the last of the conversation.
  const { log: next, ended } = open.isEnding ? endActive(open) : { log: open, ended: before.ended }
  const excess = next.ended.count + (next.active ? 1 : 0) - maxRetained
  const { ended: retained, dropped } = withoutOldest(next.ended, excess)
  return { log: dropped.length === 0 ? next : { ...next, ended: retained }, ended, dropped }
}

/**
 * Ends the active conversation at `now`, ISO 8601 or ms since the epoch: the agent or the person wants it. It does not end
 * before its last message. Without an active conversation nothing changes. Throws a `RangeError` for a time that is none.
 */
export function endConversation(
  log: ConversationLog,
  now: string | number,
): { readonly log: ConversationLog; readonly ended: Conversation | null } {
  return endActive(log, timeOf(now))
}

function checked({
  conversationIdleTimeoutMinutes: minutes = IDLE_TIMEOUT_MINUTES,
  maxConversationsRetained: maxRetained = MAX_RETAINED,
}: ConversationSettings): { readonly idleTimeout: number; readonly maxRetained: number } {
  if (typeof minutes !== 'number' || !(minutes >= 0))
    throw new RangeError('conversationIdleTimeoutMinutes: pass minutes, 0 or more')
  if (typeof maxRetained !== 'number' || !(maxRetained >= 0))
    throw new RangeError('maxConversationsRetained: pass a number, 0 or more')
  return { idleTimeout: Math.round(minutes * MINUTE), maxRetained: Math.floor(maxRetained) }
}

function checkedMessage(message: ConversationMessage): ConversationMessage {
  const read = readMessage(message)
  if (read.ok) return read.message
  const advice = `a message needs ${read.expected}${read.field ? ` as its ${read.field}` : ''}`
  throw read.field === 'timestamp' ? new RangeError(advice) : new TypeError(advice)
}

/** Whether the active conversation ends before the message. */
function isOver(
  { active, lastActiveAt, isEnding }: ConversationLog,
  { timestamp, role }: ConversationMessage,
  idleTimeout: number,
): boolean {
  if (!active || lastActiveAt === null) return false
  if (isEnding && role === 'user') return true
  const moment = momentOf(timestamp)
  const latest = momentOf(lastActiveAt)
  if (moment - latest > idleTimeout) return true
  // Long before the latest time the clock has jumped: what counts is the message that came last.
  const last = active.messages.at(-1)
  return (
    latest - moment > idleTimeout && last !== undefined && moment - momentOf(last.timestamp) > idleTimeout
  )
}

function endActive(
  log: ConversationLog,
  now?: string,
): { readonly log: ConversationLog; readonly ended: Conversation | null } {
  const { active, lastActiveAt } = log
  if (!active || lastActiveAt === null) return { log, ended: null }
  const ended = { ...active, endedAt: now === undefined ? lastActiveAt : later(lastActiveAt, now) }
  return {
    ended,
    log: {
      ...log,
      ended: withEnded(log.ended, ended),
      active: null,
      lastActiveAt: null,
      isEnding: false,
    },
  }
}

function continued(
  log: ConversationLog,
  active: Conversation,
  message: ConversationMessage,
): ConversationLog {
  return {
    ...log,
    active: { ...active, messages: [...active.messages, message] },
    lastActiveAt: later(log.lastActiveAt ?? message.timestamp, message.timestamp),
  }
}

function begun(log: ConversationLog, message: ConversationMessage): ConversationLog {
  const active = newConversation(message.timestamp, [message])
  const id = freshId(log, active)
  return {
    ...log,
    active: { ...active, id },
    lastActiveAt: message.timestamp,
    greatestId: id > log.greatestId ? id : log.greatestId,
  }
}

/** Returns an id that no conversation has had: beyond the greatest so far, else with the number of the conversation. */
function freshId({ ended: { count, dropped }, greatestId }: ConversationLog, { id }: Conversation): string {
  return id > greatestId ? id : `${id}-${dropped + count + 1}`
}
