import { isTooDeep } from '../json/depth.ts'
import { isObject, type JsonObject, parseJson } from '../json/values.ts'
import { type Conversation, lastTime } from './conversation.ts'
import { endedFrom } from './ended.ts'
import { allConversations, type ConversationLog, createConversationLog } from './log.ts'
import { type ConversationLogIssue, readMessages, readSafely, SHALLOW } from './message.ts'
import { isTime } from './time.ts'

/** A log as JSON. */
export interface PersistedConversations {
  readonly version: 1
  /** In the order in which they ended; the active one last. */
  readonly conversations: readonly Conversation[]
  /** How many were dropped before the first one. */
  readonly dropped: number
  readonly greatestId: string
  readonly isEnding: boolean
}

/** A log that was read, with all that is good in it. */
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
 * Reads a persisted log, as JSON text or as a value. Entries that are no good are issues with their value, and the rest is
 * read. Fields of the host's own are kept; nested deeper than 256 levels, their message or conversation is no good.
 */
export function parseConversationLog(json: unknown): ParsedConversationLog {
  const value = typeof json === 'string' ? parseJson(json) : json
  if (!isObject(value) || !Array.isArray(value.conversations) || (value.version ?? 1) !== 1)
    return {
      log: createConversationLog(),
      issues: [{ code: 'not-a-log', path: [], expected: '{ version: 1, conversations: […] }', value: json }],
    }
  const issues: ConversationLogIssue[] = []
  const read = withOwnIds(readConversations(value.conversations, issues), issues)
  return { log: logOf(withOneActive(read, issues), readFields(value, issues)), issues }
}

/** A conversation with its place in what was read. */
interface Entry {
  readonly at: number
  readonly conversation: Conversation
}

function readConversations(values: readonly unknown[], issues: ConversationLogIssue[]): readonly Entry[] {
  return values.flatMap((value, at) => {
    const path = ['conversations', at]
    const read = readSafely(() => readConversation(value), 'plain data')
    if (typeof read === 'string') {
      issues.push({ code: 'invalid-conversation', path, expected: read, value })
      return []
    }
    const { messages, issues: faults } = readMessages(read.messages, [...path, 'messages'])
    for (const fault of faults) issues.push(fault)
    return [{ at, conversation: { ...read, messages } }]
  })
}

type Unread = Omit<Conversation, 'messages'> & { readonly messages: readonly unknown[] }

/** Returns the conversation, its messages unread, or what it lacks. */
function readConversation(value: unknown): Unread | string {
  if (!isObject(value)) return 'an object'
  const { id, startedAt, endedAt = null, title = null, summary = null, messages } = value
  if (typeof id !== 'string') return 'a string as its id'
  if (!isTime(startedAt)) return 'an ISO 8601 time as its startedAt'
  if (endedAt !== null && !isTime(endedAt)) return 'an ISO 8601 time, or null, as its endedAt'
  if (!isTextOrNull(title)) return 'a string, or null, as its title'
  if (!isTextOrNull(summary)) return 'a string, or null, as its summary'
  if (!Array.isArray(messages)) return 'a list of messages'
  // Each message is looked at by itself.
  if (isTooDeep({ ...value, messages: [] })) return SHALLOW
  return { ...value, id, startedAt, endedAt, title, summary, messages }
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === 'string'
}

/** The first one with an id keeps it, and nobody else's is given away. */
function withOwnIds(entries: readonly Entry[], issues: ConversationLogIssue[]): readonly Entry[] {
  const stored = new Set(entries.map(({ conversation }) => conversation.id))
  // With the last number that was tried: a search from the first one on for each would be quadratic.
  const taken = new Map<string, number>()
  return entries.map(({ at, conversation }) => {
    let id = conversation.id
    let number = taken.get(id) ?? 1
    while (taken.has(id)) {
      number += 1
      const next = `${conversation.id}-${number}`
      if (!stored.has(next)) id = next
    }
    taken.set(id, 1).set(conversation.id, number)
    if (id === conversation.id) return { at, conversation }
    const path = ['conversations', at, 'id']
    issues.push({ code: 'taken-id', path, expected: 'an id of its own', value: conversation.id })
    return { at, conversation: { ...conversation, id } }
  })
}

function withOneActive(entries: readonly Entry[], issues: ConversationLogIssue[]): readonly Conversation[] {
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
  const refuse = (field: keyof Fields, expected: string, value: unknown) =>
    issues.push({ code: 'invalid-field', path: [field], expected, value })
  const isCount = typeof dropped === 'number' && Number.isSafeInteger(dropped) && dropped >= 0
  if (!isCount) refuse('dropped', 'an integer, 0 or more', dropped)
  if (typeof greatestId !== 'string') refuse('greatestId', 'a string', greatestId)
  if (typeof isEnding !== 'boolean') refuse('isEnding', 'true or false', isEnding)
  return {
    dropped: isCount ? dropped : 0,
    greatestId: typeof greatestId === 'string' ? greatestId : '',
    isEnding: isEnding === true,
  }
}

function logOf(
  conversations: readonly Conversation[],
  { dropped, greatestId, isEnding }: Fields,
): ConversationLog {
  const active = conversations.find(({ endedAt }) => endedAt === null) ?? null
  const ended = conversations.filter((each) => each !== active)
  return {
    ended: endedFrom(ended, dropped),
    active,
    lastActiveAt: active && lastTime(active),
    greatestId: conversations.reduce((greatest, { id }) => (id > greatest ? id : greatest), greatestId),
    isEnding: isEnding && active !== null,
  }
}
