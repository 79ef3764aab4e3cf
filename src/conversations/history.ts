import { asString, isObject } from '../json/values.ts'
import { type Conversation, type ConversationMessage, lastTime, newConversation } from './conversation.ts'
import { endedFrom } from './ended.ts'
import { allConversations, type ConversationLog, getConversation, pastConversations } from './log.ts'
import { type ConversationLogIssue, readMessages } from './message.ts'
import { momentOf } from './time.ts'

/** What became of a history. */
export interface MigratedHistory {
  readonly log: ConversationLog
  /** The conversation that the history has become, which waits for its summary; null if there was nothing to migrate. */
  readonly migrated: Conversation | null
  readonly issues: readonly ConversationLogIssue[]
}

/**
 * Puts a flat list of messages, as chats kept them before they had conversations, before those that began later, as one
 * conversation that has ended. A message without an id gets one. Entries that are no messages are issues with their value. A
 * second run changes nothing: messages that the log has are left out, and a log that has dropped conversations takes no older
 * ones.
 */
export function migrateHistory(log: ConversationLog, history: readonly unknown[]): MigratedHistory {
  const { messages, issues: faults } = readMessages(history.map(withId), [])
  const issues = faults.map((issue) => ({ ...issue, value: history[Number(issue.path[0])] }))
  const fresh = messages.filter(isUnknownTo(log))
  const [first] = fresh
  if (!first) return { log, migrated: null, issues }
  if (log.ended.dropped > 0) {
    const expected = 'a log that has dropped none'
    const dropped = { code: 'dropped-history', path: [], expected, value: fresh } as const
    return { log, migrated: null, issues: [...issues, dropped] }
  }
  const whole = newConversation(first.timestamp, fresh)
  const number = log.ended.count + (log.active ? 1 : 0) + 1
  const id = getConversation(log, whole.id) ? `${whole.id}-${number}` : whole.id
  const migrated = { ...whole, id, endedAt: lastTime(whole) }
  return { log: withPast(log, migrated), migrated, issues }
}

/** Puts a conversation that has ended before those that began later. */
function withPast(log: ConversationLog, migrated: Conversation): ConversationLog {
  const past = pastConversations(log)
  const later = past.findIndex((each) => momentOf(each.startedAt) >= momentOf(migrated.startedAt))
  const at = later === -1 ? past.length : later
  return {
    ...log,
    ended: endedFrom([...past.slice(0, at), migrated, ...past.slice(at)], 0),
    greatestId: migrated.id > log.greatestId ? migrated.id : log.greatestId,
  }
}

/** From what it is, not from where it stands: the list may have lost its beginning by the next run. */
function withId(entry: unknown): unknown {
  if (!isObject(entry) || entry.id !== undefined) return entry
  return { ...entry, id: `history-${asString(entry.timestamp)}-${asString(entry.role)}` }
}

function isUnknownTo(log: ConversationLog): (message: ConversationMessage) => boolean {
  const keyOf = ({ id, timestamp, role, content }: ConversationMessage) =>
    JSON.stringify([id, timestamp, role, content])
  const known = new Set(allConversations(log).flatMap(({ messages }) => messages.map(keyOf)))
  return (message) => !known.has(keyOf(message))
}
