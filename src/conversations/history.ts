import { isObject } from '../state/json.ts'
import { type Conversation, type ConversationMessage, lastTime } from './conversation.ts'
import { endedFrom, endedList } from './ended.ts'
import { freeId } from './free-id.ts'
import { type ConversationLog, pastConversations } from './log.ts'
import { type ConversationLogIssue, readMessages } from './message.ts'

/** What became of a history. */
export interface MigratedHistory {
  readonly log: ConversationLog
  /** The conversation that the history has become, which waits for its summary; null if there was nothing to migrate. */
  readonly migrated: Conversation | null
  readonly issues: readonly ConversationLogIssue[]
}

/**
 * Puts a flat list of messages, as chats kept them before they had conversations, before all others as one conversation that
 * has ended. A message without an id gets one. Entries that are no messages are issues with their value. A second run changes
 * nothing: messages that the log has are left out, and a log that has dropped conversations takes no older ones.
 */
export function migrateHistory(log: ConversationLog, history: readonly unknown[]): MigratedHistory {
  const { messages, issues } = readMessages(history.map(withId), [])
  const fresh = messages.filter(isUnknownTo(log))
  const [first] = fresh
  if (!first || log.ended.dropped > 0) return { log, migrated: null, issues }
  const past = endedList(log.ended)
  const taken = new Set([...past, ...(log.active ? [log.active] : [])].map(({ id }) => id))
  const migrated: Conversation = {
    id: freeId(`conv-${first.timestamp}`, taken),
    startedAt: first.timestamp,
    endedAt: lastTime({ startedAt: first.timestamp, messages: fresh }),
    title: null,
    summary: null,
    messages: fresh,
  }
  const greatestId = migrated.id > log.greatestId ? migrated.id : log.greatestId
  return { log: { ...log, ended: endedFrom([migrated, ...past], 0), greatestId }, migrated, issues }
}

function withId(entry: unknown, at: number): unknown {
  return isObject(entry) && entry.id === undefined ? { ...entry, id: `history-${at}` } : entry
}

function isUnknownTo(log: ConversationLog): (message: ConversationMessage) => boolean {
  const all = [...pastConversations(log), ...(log.active ? [log.active] : [])]
  const keyOf = ({ id, timestamp, role, content }: ConversationMessage) =>
    JSON.stringify([id, timestamp, role, content])
  const known = new Set(all.flatMap(({ messages }) => messages.map(keyOf)))
  return (message) => !known.has(keyOf(message))
}
