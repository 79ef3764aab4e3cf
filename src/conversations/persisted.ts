import { isTooDeep } from '../core/json/depth.ts'
import { isTime, parseTime } from '../core/json/iso-time.ts'
import { asString, isObject, type JsonObject, parseJson } from '../core/json/values.ts'
import { type Conversation, type ConversationMessage, lastTime, newConversation } from './conversation.ts'
import { toEndedConversations } from './ended.ts'
import {
  allConversations,
  type ConversationLog,
  createConversationLog,
  getConversation,
  pastConversations,
} from './log.ts'
import { type ConversationLogIssue, DEPTH_LIMIT, readMessages, readSafely } from './message.ts'

/** A log as JSON. */
export interface PersistedConversations {
  readonly version: 1
  /** In the order of their end; the active one last. */
  readonly conversations: readonly Conversation[]
  /** The number of dropped conversations before the first one. */
  readonly dropped: number
  readonly greatestId: string
  readonly isEnding: boolean
}

/** The readable part of a stored log, and an issue for each other part. */
export interface ParsedConversationLog {
  readonly log: ConversationLog
  readonly issues: readonly ConversationLogIssue[]
}

/** Returns a log as plain JSON. */
export function serializeConversationLog(log: ConversationLog): PersistedConversations {
  const { ended, greatestId, isEnding } = log
  return {
    version: 1,
    conversations: allConversations(log),
    dropped: ended.dropped,
    greatestId,
    isEnding,
  }
}

/**
 * Reads a stored log, as JSON text or as a value. An invalid entry is an issue with its value; all other entries are
 * read. The host's own fields are kept. A message or conversation with fields nested deeper than 256 levels is
 * invalid.
 */
export function parseConversationLog(json: unknown): ParsedConversationLog {
  const value = typeof json === 'string' ? parseJson(json) : json
  if (!isObject(value) || !Array.isArray(value.conversations) || (value.version ?? 1) !== 1)
    return {
      log: createConversationLog(),
      issues: [{ code: 'not-a-log', path: [], expected: '{ version: 1, conversations: […] }', value: json }],
    }
  const issues: ConversationLogIssue[] = []
  const entries = withUniqueIds(readConversations(value.conversations, issues), issues)
  return { log: toLog(withOneActive(entries, issues), readFields(value, issues)), issues }
}

/** A conversation with its position in the stored list. */
interface StoredConversation {
  readonly at: number
  readonly conversation: Conversation
}

function readConversations(
  values: readonly unknown[],
  issues: ConversationLogIssue[],
): readonly StoredConversation[] {
  return values.flatMap((value, at) => {
    const path = ['conversations', at]
    const read = readSafely(() => readConversation(value), 'plain data')
    if (typeof read === 'string') {
      issues.push({ code: 'invalid-conversation', path, expected: read, value })
      return []
    }
    const { messages, issues: messageIssues } = readMessages(read.messages, [...path, 'messages'])
    // Not `push(...messageIssues)`: a call takes only so many arguments.
    for (const issue of messageIssues) issues.push(issue)
    return [{ at, conversation: { ...read, messages } }]
  })
}

type UnreadConversation = Omit<Conversation, 'messages'> & { readonly messages: readonly unknown[] }

/** Returns the conversation with unread messages, or a description of the value that it lacks. */
function readConversation(value: unknown): UnreadConversation | string {
  if (!isObject(value)) return 'an object'
  const { id, startedAt, endedAt = null, title = null, summary = null, messages } = value
  if (typeof id !== 'string') return 'a string as its id'
  if (!isTime(startedAt)) return 'an ISO 8601 time as its startedAt'
  if (endedAt !== null && !isTime(endedAt)) return 'an ISO 8601 time, or null, as its endedAt'
  if (!isStringOrNull(title)) return 'a string, or null, as its title'
  if (!isStringOrNull(summary)) return 'a string, or null, as its summary'
  if (!Array.isArray(messages)) return 'a list of messages'
  // `readMessages` checks the depth of each message.
  if (isTooDeep({ ...value, messages: [] })) return DEPTH_LIMIT
  return { ...value, id, startedAt, endedAt, title, summary, messages }
}

function isStringOrNull(value: unknown): value is string | null {
  return value === null || typeof value === 'string'
}

/** The first conversation with an id keeps it. A new id is one that no stored conversation has. */
function withUniqueIds(
  entries: readonly StoredConversation[],
  issues: ConversationLogIssue[],
): readonly StoredConversation[] {
  const stored = new Set(entries.map(({ conversation }) => conversation.id))
  // Holds the last number of each id: a search that always starts at 1 would be quadratic.
  const lastNumbers = new Map<string, number>()
  return entries.map(({ at, conversation }) => {
    let id = conversation.id
    let number = lastNumbers.get(id) ?? 1
    while (lastNumbers.has(id)) {
      number += 1
      const next = `${conversation.id}-${number}`
      if (!stored.has(next)) id = next
    }
    lastNumbers.set(id, 1).set(conversation.id, number)
    if (id === conversation.id) return { at, conversation }
    const path = ['conversations', at, 'id']
    issues.push({ code: 'taken-id', path, expected: 'an id of its own', value: conversation.id })
    return { at, conversation: { ...conversation, id } }
  })
}

/** Ends every active conversation but the last one. */
function withOneActive(
  entries: readonly StoredConversation[],
  issues: ConversationLogIssue[],
): readonly Conversation[] {
  const last = entries.findLast(({ conversation }) => conversation.endedAt === null)
  return entries.map((entry) => {
    const { at, conversation } = entry
    if (conversation.endedAt !== null || entry === last) return conversation
    const path = ['conversations', at, 'endedAt']
    issues.push({ code: 'several-active', path, expected: 'an ISO 8601 time', value: null })
    return { ...conversation, endedAt: lastTime(conversation) }
  })
}

type Fields = Omit<PersistedConversations, 'version' | 'conversations'>

function readFields(
  { dropped = 0, greatestId = '', isEnding = false }: JsonObject,
  issues: ConversationLogIssue[],
): Fields {
  const report = (field: keyof Fields, expected: string, value: unknown) =>
    issues.push({ code: 'invalid-field', path: [field], expected, value })
  const isCount = typeof dropped === 'number' && Number.isSafeInteger(dropped) && dropped >= 0
  if (!isCount) report('dropped', 'an integer, 0 or more', dropped)
  if (typeof greatestId !== 'string') report('greatestId', 'a string', greatestId)
  if (typeof isEnding !== 'boolean') report('isEnding', 'true or false', isEnding)
  return {
    dropped: isCount ? dropped : 0,
    greatestId: typeof greatestId === 'string' ? greatestId : '',
    isEnding: isEnding === true,
  }
}

function toLog(
  conversations: readonly Conversation[],
  { dropped, greatestId, isEnding }: Fields,
): ConversationLog {
  const active = conversations.find(({ endedAt }) => endedAt === null) ?? null
  const ended = conversations.filter((conversation) => conversation !== active)
  return {
    ended: toEndedConversations(ended, dropped),
    active,
    lastActiveAt: active && lastTime(active),
    greatestId: conversations.reduce((greatest, { id }) => (id > greatest ? id : greatest), greatestId),
    isEnding: isEnding && active !== null,
  }
}

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
