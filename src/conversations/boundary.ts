import { castDraft } from 'immer'
import { parseTime } from '../core/json/iso-time.ts'
import { produce, requireDraft } from '../core/lineage/produce.ts'
import {
  type Conversation,
  type ConversationMessage,
  type ConversationSettings,
  DEFAULT_CONVERSATION_SETTINGS,
  laterTime,
  newConversation,
  toIsoTime,
} from './conversation.ts'
import { addEnded, dropOldest } from './ended.ts'
import type { ConversationLog } from './log.ts'
import { readMessage } from './message.ts'

/** The result of `appendMessage`. */
export interface AppendedMessage {
  readonly log: ConversationLog
  /** The conversation that ended, before the message or with it. It has no summary yet. */
  readonly ended: Conversation | null
  /** The conversations that the log no longer keeps, the oldest first. */
  readonly dropped: readonly Conversation[]
}

const MINUTE_MS = 60_000

/**
 * Adds a message to the active conversation. The message begins a new conversation if none is active, or if it comes
 * later than the idle timeout after the last message. A message exactly at the timeout still belongs to the old
 * conversation. So does a message that is older than the last one: messages keep the order in which they were
 * appended. A message with a known id is added again. Throws a `TypeError` if the value is not a message or has
 * fields nested deeper than 256 levels. Throws a `RangeError` if its timestamp is not an ISO 8601 time, or if a
 * setting is out of range.
 */
export function appendMessage(
  log: ConversationLog,
  message: ConversationMessage,
  settings: ConversationSettings = {},
): AppendedMessage {
  const { idleTimeoutMs, maxRetained } = resolveSettings(settings)
  const copy = copyMessage(message)
  const before = startsNewConversation(log, copy, idleTimeoutMs) ? endActive(log) : { log, ended: null }
  const open = before.log.active ? addToActive(before.log, copy) : startConversation(before.log, copy)
  // After `end_conversation`, the agent's reply is the last message of the conversation.
  const { log: next, ended } = open.isEnding ? endActive(open) : { log: open, ended: before.ended }
  const excess = next.ended.count + (next.active ? 1 : 0) - maxRetained
  const { ended: retained, dropped } = dropOldest(next.ended, excess)
  return { log: dropped.length === 0 ? next : { ...next, ended: retained }, ended, dropped }
}

/**
 * Ends the active conversation at `now`, ISO 8601 or ms since the epoch, because the agent or the user wants it. The
 * end is never before the last message. Without an active conversation nothing changes. Throws a `RangeError` if
 * `now` is not a time.
 */
export function endConversation(
  log: ConversationLog,
  now: string | number,
): { readonly log: ConversationLog; readonly ended: Conversation | null } {
  return endActive(log, toIsoTime(now))
}

function resolveSettings({
  conversationIdleTimeoutMinutes: minutes = DEFAULT_CONVERSATION_SETTINGS.conversationIdleTimeoutMinutes,
  maxConversationsRetained: maxRetained = DEFAULT_CONVERSATION_SETTINGS.maxConversationsRetained,
}: ConversationSettings): { readonly idleTimeoutMs: number; readonly maxRetained: number } {
  if (typeof minutes !== 'number' || !(minutes >= 0))
    throw new RangeError('conversationIdleTimeoutMinutes: pass minutes, 0 or more')
  if (typeof maxRetained !== 'number' || !(maxRetained >= 0))
    throw new RangeError('maxConversationsRetained: pass a number, 0 or more')
  return { idleTimeoutMs: Math.round(minutes * MINUTE_MS), maxRetained: Math.floor(maxRetained) }
}

function copyMessage(message: ConversationMessage): ConversationMessage {
  const read = readMessage(message)
  if (read.ok) return read.message
  const advice = `a message needs ${read.expected}${read.field ? ` as its ${read.field}` : ''}`
  throw read.field === 'timestamp' ? new RangeError(advice) : new TypeError(advice)
}

/** Returns whether the active conversation ends before the message. */
function startsNewConversation(
  { active, lastActiveAt, isEnding }: ConversationLog,
  { timestamp, role }: ConversationMessage,
  idleTimeoutMs: number,
): boolean {
  if (!active || lastActiveAt === null) return false
  if (isEnding && role === 'user') return true
  const time = parseTime(timestamp)
  const latest = parseTime(lastActiveAt)
  if (time - latest > idleTimeoutMs) return true
  // A time long before the latest one means that the clock has jumped back. Then the last appended message decides.
  const last = active.messages.at(-1)
  return (
    latest - time > idleTimeoutMs && last !== undefined && time - parseTime(last.timestamp) > idleTimeoutMs
  )
}

function endActive(
  log: ConversationLog,
  now?: string,
): { readonly log: ConversationLog; readonly ended: Conversation | null } {
  const { active, lastActiveAt } = log
  if (!active || lastActiveAt === null) return { log, ended: null }
  const ended = { ...active, endedAt: now === undefined ? lastActiveAt : laterTime(lastActiveAt, now) }
  return {
    ended,
    log: { ...log, ended: addEnded(log.ended, ended), active: null, lastActiveAt: null, isEnding: false },
  }
}

function addToActive(log: ConversationLog, message: ConversationMessage): ConversationLog {
  return produce(log, (draft) => {
    requireDraft(draft.active)?.messages.push(castDraft(message))
    draft.lastActiveAt = laterTime(draft.lastActiveAt ?? message.timestamp, message.timestamp)
  })
}

function startConversation(log: ConversationLog, message: ConversationMessage): ConversationLog {
  const active = newConversation(message.timestamp, [message])
  const id = unusedId(log, active.id)
  return {
    ...log,
    active: { ...active, id },
    lastActiveAt: message.timestamp,
    greatestId: id > log.greatestId ? id : log.greatestId,
  }
}

/** Returns an id that no conversation has had: the id itself if it is the greatest so far, else the id with the conversation's number. */
function unusedId({ ended: { count, dropped }, greatestId }: ConversationLog, id: string): string {
  return id > greatestId ? id : `${id}-${dropped + count + 1}`
}
