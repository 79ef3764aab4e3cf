import { isTooDeep } from '../core/json/depth.ts'
import { isTime } from '../core/json/iso-time.ts'
import { isObject, type JsonObject, parseJson } from '../core/json/values.ts'
import { type Conversation, lastTime } from './conversation.ts'
import { toEndedConversations } from './ended.ts'
import { allConversations, type ConversationLog, createConversationLog } from './log.ts'
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
