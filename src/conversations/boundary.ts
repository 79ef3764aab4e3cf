import { castDraft } from 'immer'
import type { Conversation, ConversationMessage, ConversationSettings } from './conversation.ts'
import { endedList, withEnded, withoutOldest } from './ended.ts'
import { freeId } from './free-id.ts'
import { immer } from './immer.ts'
import type { ConversationLog } from './log.ts'
import { isFault, readMessage } from './message.ts'
import { later, momentOf, timestampOf } from './time.ts'

/** What became of a log. */
export interface AppendedMessage {
  readonly log: ConversationLog
  /** The conversation that the message did not belong to any more; it waits for its summary. */
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
 * belongs too, so messages keep the order in which they came. Throws a `TypeError` for what is no message, and a `RangeError`
 * for a time that is none, or settings out of range.
 */
export function appendMessage(
  log: ConversationLog,
  message: ConversationMessage,
  settings: ConversationSettings = {},
): AppendedMessage {
  const { idleTimeout, maxRetained } = checked(settings)
  const added = checkedMessage(message)
  const { log: open, ended } = isIdle(log, added, idleTimeout) ? endActive(log) : { log, ended: null }
  const next = open.active ? continued(open, added) : begun(open, added)
  const { ended: retained, dropped } = withoutOldest(next.ended, next.ended.count + 1 - maxRetained)
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
  const endedAt = typeof now === 'number' && Number.isFinite(now) ? timestampOf(now) : String(now)
  if (momentOf(endedAt) === undefined) throw new RangeError('pass the time as ISO 8601 or ms since the epoch')
  return endActive(log, endedAt)
}

function checked({
  conversationIdleTimeoutMinutes: minutes = IDLE_TIMEOUT_MINUTES,
  maxConversationsRetained: maxRetained = MAX_RETAINED,
}: ConversationSettings): { readonly idleTimeout: number; readonly maxRetained: number } {
  if (!(minutes >= 0)) throw new RangeError('conversationIdleTimeoutMinutes: pass minutes, 0 or more')
  if (!(maxRetained >= 0)) throw new RangeError('maxConversationsRetained: pass a number, 0 or more')
  return { idleTimeout: minutes * MINUTE, maxRetained: Math.floor(maxRetained) }
}

function checkedMessage(message: ConversationMessage): ConversationMessage {
  const read = readMessage(message)
  if (!isFault(read)) return read
  const advice = `a message needs ${read.expected}${read.field ? ` as its ${read.field}` : ''}`
  throw read.field === 'timestamp' ? new RangeError(advice) : new TypeError(advice)
}

function isIdle(
  { lastActiveAt }: ConversationLog,
  { timestamp }: ConversationMessage,
  idleTimeout: number,
): boolean {
  if (lastActiveAt === null) return false
  return (momentOf(timestamp) ?? 0) - (momentOf(lastActiveAt) ?? 0) > idleTimeout
}

function endActive(
  log: ConversationLog,
  now?: string,
): { readonly log: ConversationLog; readonly ended: Conversation | null } {
  const { active, lastActiveAt } = log
  if (!active || lastActiveAt === null) return { log, ended: null }
  const ended = { ...active, endedAt: now === undefined ? lastActiveAt : later(lastActiveAt, now) }
  return { ended, log: { ...log, ended: withEnded(log.ended, ended), active: null, lastActiveAt: null } }
}

function continued(log: ConversationLog, message: ConversationMessage): ConversationLog {
  return immer.produce(log, (draft) => {
    draft.active?.messages.push(castDraft(message))
    draft.lastActiveAt = later(draft.lastActiveAt ?? message.timestamp, message.timestamp)
  })
}

function begun(log: ConversationLog, message: ConversationMessage): ConversationLog {
  const { timestamp: startedAt } = message
  const id = freshId(log, startedAt)
  return {
    ...log,
    active: { id, startedAt, endedAt: null, title: null, summary: null, messages: [message] },
    lastActiveAt: startedAt,
    greatestId: id > log.greatestId ? id : log.greatestId,
  }
}

/** Returns the id of a conversation that begins then; no other has it. */
function freshId({ ended, greatestId }: ConversationLog, startedAt: string): string {
  const id = `conv-${startedAt}`
  return id > greatestId ? id : freeId(id, new Set(endedList(ended).map((each) => each.id)))
}
