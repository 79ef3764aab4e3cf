import { parseTime } from '../core/json/iso-time.ts'
import { asString, isObject } from '../core/json/values.ts'
import { type Conversation, type ConversationMessage, lastTime, newConversation } from './conversation.ts'
import { toEndedConversations } from './ended.ts'
import { allConversations, type ConversationLog, getConversation, pastConversations } from './log.ts'
import { type ConversationLogIssue, readMessages } from './message.ts'

/** The result of `migrateHistory`. */
export interface MigratedHistory {
  readonly log: ConversationLog
  /** The history as one conversation without a summary; null if the history has no new messages or the log refused it. */
  readonly migrated: Conversation | null
  readonly issues: readonly ConversationLogIssue[]
}

/**
 * Adds a flat list of messages, the form in which chats kept them before they had conversations. The messages become
 * one ended conversation before the conversations that began later. A message without an id gets one. An entry that
 * is not a message is an issue with its value. A second run changes nothing, because messages that the log already
 * has are left out. A log that has dropped conversations accepts no older ones.
 */
export function migrateHistory(log: ConversationLog, history: readonly unknown[]): MigratedHistory {
  const read = readMessages(history.map(ensureId), [])
  const issues = read.issues.map((issue) => ({ ...issue, value: history[Number(issue.path[0])] }))
  const messages = read.messages.filter(isMissingFrom(log))
  const [first] = messages
  if (!first) return { log, migrated: null, issues }
  if (log.ended.dropped > 0) {
    const expected = 'a log that has dropped none'
    const dropped = { code: 'dropped-history', path: [], expected, value: messages } as const
    return { log, migrated: null, issues: [...issues, dropped] }
  }
  const conversation = newConversation(first.timestamp, messages)
  const number = log.ended.count + (log.active ? 1 : 0) + 1
  const id = getConversation(log, conversation.id) ? `${conversation.id}-${number}` : conversation.id
  const migrated = { ...conversation, id, endedAt: lastTime(conversation) }
  return { log: insertPast(log, migrated), migrated, issues }
}

/** Inserts an ended conversation before the ended conversations that began later. */
function insertPast(log: ConversationLog, conversation: Conversation): ConversationLog {
  const past = pastConversations(log)
  const start = parseTime(conversation.startedAt)
  const next = past.findIndex(({ startedAt }) => parseTime(startedAt) >= start)
  const at = next === -1 ? past.length : next
  return {
    ...log,
    ended: toEndedConversations([...past.slice(0, at), conversation, ...past.slice(at)], 0),
    greatestId: conversation.id > log.greatestId ? conversation.id : log.greatestId,
  }
}

/** The id comes from the content, not from the position: the list may have lost its beginning by the next run. */
function ensureId(entry: unknown): unknown {
  if (!isObject(entry) || entry.id !== undefined) return entry
  return { ...entry, id: `history-${asString(entry.timestamp)}-${asString(entry.role)}` }
}

function isMissingFrom(log: ConversationLog): (message: ConversationMessage) => boolean {
  const keyOf = ({ id, timestamp, role, content }: ConversationMessage) =>
    JSON.stringify([id, timestamp, role, content])
  const known = new Set(allConversations(log).flatMap(({ messages }) => messages.map(keyOf)))
  return (message) => !known.has(keyOf(message))
}
